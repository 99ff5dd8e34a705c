// What a search found, in words: who said it, the goal it belongs to, and what its relevance is made of.

import type { SearchKind, SearchQuery } from "../../../generated/operations";

export type Result = SearchQuery["searchMemory"]["edges"][number];

/** What a search can find. */
export const SEARCH_KINDS = [
  "OBSERVATION",
  "FACT",
  "SKILL",
  "LESSON",
  "EPISODE",
  "MESSAGE",
  "MANDATE",
  "CAPABILITY",
  "GOAL",
  "QUESTION",
  "STORY",
] as const satisfies readonly SearchKind[];

/** What several things of a kind are called, where it is not the kind with an s. */
const MANY: Partial<Record<SearchKind, string>> = { CAPABILITY: "Capabilities", STORY: "Stories" };

/** Return what several things of a kind are called. */
export const manyOf = (kind: SearchKind): string =>
  MANY[kind] ?? `${kind.charAt(0)}${kind.slice(1).toLowerCase()}s`;

/** Return the kinds that the address names, in the order of the list. */
export function kindsOf(given: string | null): SearchKind[] {
  const named = new Set((given ?? "").toUpperCase().split(","));
  return SEARCH_KINDS.filter((kind) => named.has(kind));
}

/** Return the kinds with one more, or without it if it was there, as the address names them. */
export function toggled(kinds: readonly SearchKind[], kind: SearchKind): string {
  const next = kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind];
  return next.join(",").toLowerCase();
}

/** Return who said or wrote it; null if nobody is known. */
export function whoOf({ node }: Result): string | null {
  if (!node) return null;
  if ("speaker" in node && node.speaker) return node.speaker;
  return ("createdBy" in node && node.createdBy?.name) || null;
}

/** Return the goal that it is, or belongs to; null if none is known. */
export function goalOf({ node, text }: Result): { id: string; title: string } | null {
  switch (node?.__typename) {
    case "Goal":
      return { id: node.id, title: text };
    case "Question":
      return node.goal;
    case "Story":
      return node.question?.goal ?? null;
    case "Observation":
      return node.goals.nodes[0] ?? null;
    default:
      return null;
  }
}

const PARTS = [
  ["words", "It has words of your question"],
  ["meaning", "It means something similar"],
  ["neighbours", "What was said right before or after it fits"],
  ["conversation", "Its conversation fits"],
  ["subject", "It is about whom or what you name"],
  ["time", "It is of the time that you name"],
  ["doubt", "It is not certain"],
  ["answer", "It seems to answer your question"],
  ["identifier", "It has the identifier that you name"],
] as const satisfies readonly [keyof Result["parts"], string][];

/** The title of a part that counts against, where it is another one. */
const AGAINST: Partial<Record<keyof Result["parts"], string>> = {
  subject: "It is not about whom or what you name",
  time: "It is of another time",
  answer: "It seems not to answer your question",
  identifier: "It has not the identifier that you name",
};

/** A part of the relevance that counts for or against a result. */
export interface Part {
  name: string;
  title: string;
  value: number;
}

/** Return the parts that count, as the API lists them. */
export function partsOf(result: Result): Part[] {
  return PARTS.map(([name, title]) => {
    const value = result.parts[name] ?? 0;
    return { name, title: (value < 0 && AGAINST[name]) || title, value };
  }).filter((part) => Math.abs(part.value) >= 0.005);
}

/** Return a number with its sign: `+2.00`, `−0.30`. */
export const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

/** Return a text as what stands before its best passage, the passage and what follows; the passage may be empty. */
export function split(text: string, passage: string | undefined): [before: string, best: string, after: string] {
  const start = passage ? text.indexOf(passage) : -1;
  if (!passage || start < 0) return [text, "", ""];
  return [text.slice(0, start), passage, text.slice(start + passage.length)];
}
