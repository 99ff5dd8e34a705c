// Times as people read them, in the time zone and language of the browser.

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Return a time of the API, such as `20 Nov 2026, 14:05`. */
export const inFull = (time: string | number): string => FULL.format(new Date(time));

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

/** Return a day of the API, such as `20 Nov 2026`. */
export const onDay = (day: string): string => DAY.format(new Date(day));

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

/** Return how long ago, or ahead, a time is: `3 hours ago`. */
export function relative(time: string, now = Date.now()): string {
  const span = Date.parse(time) - now;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(span) >= length) ?? (["minute", 60_000] as const);
  return AGO.format(Math.round(span / size), unit);
}
