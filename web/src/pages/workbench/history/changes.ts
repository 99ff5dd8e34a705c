// The versions of a record, what changed in them, and what changed between two of them. Pure.

import type { RecordHistoryQuery } from "../../../generated/operations";
import { inWords } from "../../../shared/kinds";
import { listed } from "../record/record";

export type Version = NonNullable<RecordHistoryQuery["history"]>["nodes"][number];

export interface Change {
  name: string;
  before: unknown;
  after: unknown;
}

/** What is the same in all versions, or stands in another field in a way that people read. */
const UNTOLD: ReadonlySet<string> = new Set([
  "id",
  "orgId",
  "priorityRank",
  "createdAt",
  "createdBy",
  "updatedAt",
  "version",
]);

/** Return the names of changed fields that are told, in words. */
export const namesOf = (fields: readonly string[]): string =>
  shortList(fields.filter((name) => !UNTOLD.has(name)).map((name) => fieldInWords(name).toLowerCase()));

/** So many changed fields are named. */
const NAMED = 4;

const shortList = (names: readonly string[]): string =>
  names.length > NAMED ? `${names.slice(0, NAMED).join(", ")} and more` : listed(names);

/** `evidence` has what was unlinked and what was linked, not what there was. */
const EVIDENCE = "evidence";

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Return the changes of a version that are told: of the first one, what the record began with. */
export function toldOf(version: Version): Change[] {
  return version.changes.filter(
    ({ name, before, after }) =>
      !UNTOLD.has(name) && (version.number > 1 || !(isEmpty(before) && isEmpty(after))),
  );
}

/** Return what a version did, in words. */
export function summaryOf(version: Version): string {
  if (version.revertedTo !== null) return `Reverted to version ${version.revertedTo}`;
  if (version.number === 1) return "Created";
  return `Changed ${namesOf(version.changes.map(({ name }) => name))}`;
}

/** Return the name of a field in words: `statusReason` as `Status reason`. */
export const fieldInWords = (name: string): string => inWords(name.replace(/([a-z])([A-Z])/g, "$1_$2"));

/**
 * Return what changed after one version and up to another, as the fields were at both. From a later version to an
 * earlier one it is what going back would change.
 */
export function changesBetween(versions: readonly Version[], from: number, to: number): Change[] {
  const [first, last] = from < to ? [from, to] : [to, from];
  const steps = versions
    .filter(({ number }) => number > first && number <= last)
    .toSorted((one, other) => one.number - other.number);
  const changes = new Map<string, Change>();
  const linked = new Set<unknown>();
  const unlinked = new Set<unknown>();
  for (const { changes: all } of steps) {
    for (const { name, before, after } of all) {
      if (UNTOLD.has(name)) continue;
      if (name === EVIDENCE) {
        for (const id of idsOf(before)) if (!linked.delete(id)) unlinked.add(id);
        for (const id of idsOf(after)) if (!unlinked.delete(id)) linked.add(id);
        continue;
      }
      changes.set(name, { name, before: (changes.get(name) ?? { before }).before, after });
    }
  }
  if (linked.size + unlinked.size > 0) {
    changes.set(EVIDENCE, { name: EVIDENCE, before: [...unlinked], after: [...linked] });
  }
  const found = [...changes.values()].filter(({ before, after }) => !isSame(before, after));
  return from < to ? found : found.map(({ name, before, after }) => ({ name, before: after, after: before }));
}

const idsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const ID = /^[a-z]{2,10}_[0-9A-HJKMNP-TV-Z]{26}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const CODE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/** Fields whose values are codes, such as `in_progress`. */
const CODED: ReadonlySet<string> = new Set([
  "status",
  "priority",
  "owner",
  "type",
  "origin",
  "kind",
  "decision",
  "source",
]);

/** How a value is shown. */
export type Shown =
  | { as: "nothing" }
  | { as: "text"; text: string }
  | { as: "time"; at: string }
  | { as: "record"; id: string }
  | { as: "list"; values: readonly unknown[] }
  | { as: "fields"; fields: readonly (readonly [name: string, value: unknown])[] };

/** Return how a value of a field is shown. */
export function shownAs(name: string, value: unknown): Shown {
  if (isEmpty(value) || value === undefined) return { as: "nothing" };
  if (Array.isArray(value)) return { as: "list", values: value };
  switch (typeof value) {
    case "boolean":
      return { as: "text", text: value ? "Yes" : "No" };
    case "number":
      return { as: "text", text: name === "progress" ? `${Math.round(100 * value)} %` : String(value) };
    case "string":
      if (ID.test(value)) return { as: "record", id: value };
      if (TIME.test(value) && !Number.isNaN(Date.parse(value))) return { as: "time", at: value };
      return { as: "text", text: CODED.has(name) && CODE.test(value) ? inWords(value) : value };
    default:
      return { as: "fields", fields: Object.entries(value as Record<string, unknown>) };
  }
}

/** What kinds of record a revert takes back; for others, what to do instead. */
const REVERTED: ReadonlySet<string> = new Set(["Goal", "PendingAction", "Question", "Story"]);

/** Return why a kind of record cannot be reverted; null if it can. */
export function whyNoRevert(kind: string): string | null {
  if (REVERTED.has(kind)) return null;
  if (kind === "RegistryProposal") return "A proposal is not reverted. Withdraw it on its page instead.";
  if (kind === "ActionTypeOverride") return "An action type is not reverted. A maintainer registers it again instead.";
  return "Only goals, actions, questions and stories are reverted. Change the record, or add a new one, instead.";
}
