// What is said of a session and of its items. Pure.

import type {
  AdmissionReason,
  EvictionReason,
  HeldItemsQuery,
  SessionPastQuery,
  SessionRelationsQuery,
} from "../../../generated/operations";
import { listed } from "../record/record";

export type Held = NonNullable<HeldItemsQuery["activeContext"]>["items"][number];
export type Past = SessionPastQuery["sessionHistory"]["nodes"][number];
export type Relation = SessionRelationsQuery["sessionCorrelations"][number];

/** Return what a session is called: its task, else its key. */
export const titleOf = (session: { task: string | null; key: string }): string => session.task || session.key;

const ADMITTED: Readonly<Record<AdmissionReason, string>> = {
  HIGH_RELEVANCE: "it has much to do with the session",
  HIGH_URGENCY: "it is urgent",
  RECENT_ACCESS: "it is recent",
  USER_ATTENTION: "the focus of the session is on it",
};

/** Return why an item was admitted. */
export function whyHere(item: Pick<Past, "reasons" | "admissionScore" | "threshold">): string {
  const [score, needed] = [item.admissionScore.toFixed(2), item.threshold.toFixed(2)];
  const numbers = `Its score was ${score}, and it needed more than ${needed}.`;
  if (item.reasons.length === 0) return `No single part stood out. ${numbers}`;
  const reasons = listed(item.reasons.map((reason) => ADMITTED[reason]));
  return `${reasons.charAt(0).toUpperCase()}${reasons.slice(1)}. ${numbers}`;
}

const LEFT: Readonly<Record<EvictionReason, string>> = {
  CAPACITY: "It made room for another item.",
  EMERGENCY: "The session held more than it may.",
  REQUESTED: "Its agent took it out.",
  GONE: "Its memory was forgotten, has expired, or may not be read any more.",
  RESTORED: "The session went back to an earlier checkpoint.",
  REPAIRED: "The session was damaged and was repaired.",
  SESSION_ENDED: "The session ended.",
};

export const whyGone = (reason: EvictionReason | null): string =>
  reason ? LEFT[reason] : "No reason is recorded.";

/** Return the relationship with another session as a sentence. */
export function relationInWords(relation: Pick<Relation, "relationshipType" | "isEarlier">): string {
  const { isEarlier } = relation;
  switch (relation.relationshipType) {
    case "CONTINUATION":
      return isEarlier ? "This session continues it." : "It continues this session.";
    case "RELATED":
      return "It is about the same things, at another time.";
    case "ADJACENT":
      return `It came shortly ${isEarlier ? "before" : "after"}, and is about other things.`;
    case "WEAK":
      return "It has a little in common with this session.";
  }
}

/** Changes when the session holds something else, so that what it holds is asked for again. */
export const heldKey = (version: number, past: readonly Past[]): string =>
  [version, ...past.filter((item) => !item.leftAt).map((item) => `${item.itemId}${item.memory ? "" : "-"}`)].join(" ");
