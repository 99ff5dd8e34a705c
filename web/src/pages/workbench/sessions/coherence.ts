// The coherence of a session in its events. Pure.

export interface CoherencePoint {
  /** Milliseconds since 1970. */
  at: number;
  /** 0 to 1. */
  value: number;
}

/** Return the coherence after each change that says one, in the order of the events. */
export function pointsOf(payloads: readonly unknown[]): CoherencePoint[] {
  return payloads.flatMap((payload) => {
    const { time, session_coherence: value } = (payload ?? {}) as { time?: unknown; session_coherence?: unknown };
    const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
    return typeof value === "number" && !Number.isNaN(at) ? [{ at, value }] : [];
  });
}
