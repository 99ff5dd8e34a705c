// What a turn did, in words. Pure.

import type { ContextReason, ContextSection, TraceKind, TurnDetailsQuery, TurnTraceQuery } from "../../../generated/operations";
import { inWords } from "../../../shared/kinds";
import { counted, inPercent } from "../../../shared/figures";
import { listed } from "../record/record";

export type Entry = TurnTraceQuery["turnTrace"]["nodes"][number];
export type ToolCall = NonNullable<TurnDetailsQuery["turn"]>["invocations"]["nodes"][number];

/** What an entry is about: what the turn saw, which tools it called, what it decided, or what it wrote. */
export type Part = "saw" | "called" | "decided" | "wrote";

export const PARTS: Readonly<Record<Part, string>> = {
  saw: "Saw",
  called: "Called",
  decided: "Decided",
  wrote: "Wrote",
};

const SAW: ReadonlySet<TraceKind> = new Set<TraceKind>(["TURN_STARTED", "CONTEXT_ASSEMBLED"]);
const DECIDED: ReadonlySet<TraceKind> = new Set<TraceKind>([
  "OBSERVATION_PROMOTED",
  "OBSERVATION_KEPT",
  "OBSERVATIONS_CONFLICT",
  "CONFLICT_SETTLED",
  "PROGRESS_CLAMPED",
  "ACTION_TYPE_COERCED",
  "ACTION_TYPE_REPLACED",
  "DELTA_REFUSED",
  "WORKING_MEMORY_REJECTED",
  "TURN_EVALUATED",
  "STATE_SELECTED",
]);

const CALLED: ReadonlySet<TraceKind> = new Set<TraceKind>(["TOOL_INVOKED", "TOOL_FAILED"]);

export function partOf(entry: Entry): Part {
  if (SAW.has(entry.kind)) return "saw";
  if (CALLED.has(entry.kind)) return "called";
  return DECIDED.has(entry.kind) ? "decided" : "wrote";
}

const NOT_WRITTEN: ReadonlySet<TraceKind> = new Set<TraceKind>(["STORE_FAILED", "COMMIT_ESCALATED"]);

/** Tell whether an entry says that something was not written which was to be. */
export const isNotWritten = (entry: Entry): boolean => NOT_WRITTEN.has(entry.kind);

/** Return an entry as a sentence. */
export function sentenceOf(entry: Entry): string {
  const of = detailsOf(entry);
  switch (entry.kind) {
    case "PROGRESS_UPDATED":
      return `Progress went from ${inPercent(Number(of.before))} to ${inPercent(Number(of.after))}`;
    case "ACTION_TRANSITIONED":
    case "GOAL_TRANSITIONED":
      if (!of.from || !of.to) return entry.message;
      return entry.message.endsWith("transitioned")
        ? `${entry.kind === "GOAL_TRANSITIONED" ? "Goal" : "Action"} went from ${quoted(of.from)} to ${quoted(of.to)}`
        : entry.message;
    case "DELTA_REFUSED":
      return `Refused ${DELTAS[String(of.delta)] ?? "a change"}`;
    case "CONTEXT_ASSEMBLED":
      return `${entry.message}: ${counted(Number(of.included ?? 0), "item")}, ${of.used} of ${of.budget} tokens`;
    case "TOOL_INVOKED":
      return `${of.tool} answered`;
    case "TOOL_FAILED":
      return `${of.tool} failed`;
    case "OUTCOME_RECORDED":
      return of.success ? "Outcome: success" : "Outcome: failure";
    case "TURN_EVALUATED":
      return of.success ? "The turn was judged a success" : "The turn was judged a failure";
    case "STATE_SELECTED":
      return `${counted(Number(of.selected ?? 0), "thing")} to remember, ${sum(of.discarded)} left out`;
    case "STORE_FAILED":
      return `Not stored in ${store(of)}`;
    case "COMMIT_ESCALATED":
      return `Not stored in ${store(of)}: somebody has to look`;
    case "STORE_COMMITTED":
      return `Stored in ${store(of)}`;
    case "STATE_PUBLISHED":
      return "Published what the turn changed";
    case "LESSONS_EXTRACTED":
      return `${counted(Number(of.learned ?? 0), "new lesson")}, ${Number(of.supported ?? 0)} confirmed, ${Number(of.contradicted ?? 0)} contradicted`;
    case "TURN_STARTED":
      return `Turn started with ${startedWith(of)}`;
    default:
      return entry.message;
  }
}

/** Return what else an entry says, as a sentence; null if nothing. */
export function moreOf(entry: Entry): string | null {
  const of = detailsOf(entry);
  if (Array.isArray(of.fields) && of.fields.length > 0) return `Changed: ${listed(of.fields.map(lower))}.`;
  if (entry.kind === "DELTA_REFUSED") return reasonOf(of.code);
  if (entry.kind === "OUTCOME_RECORDED" && of.conflicting) return "Its feedback contradicts it.";
  if (typeof of.reason === "string") return reasonOf(of.reason);
  if (entry.kind === "STATE_SELECTED") return leftOut(of.discarded);
  if (entry.kind === "TURN_EVALUATED") return of.follow_up ? "Something is to be done about it." : null;
  if (entry.kind === "STORE_COMMITTED" && of.attempts) return `It failed at first; this was attempt ${String(of.attempts)}.`;
  if (entry.kind === "STATE_PUBLISHED") return `The export ${entry.ids.join(", ")}, ${String(of.bytes)} bytes.`;
  if (entry.kind === "TURN_COMMITTED") return phasesOf(of.phases);
  if (entry.kind === "ACTION_TYPE_COERCED") return "No known action type has the name that was asked for.";
  if (typeof of.founded === "boolean") return of.founded ? "They founded a new goal." : "They joined a goal.";
  if (typeof of.gain === "number") return `It added ${inPercent(of.gain)} of progress.`;
  return null;
}

/** What the end of a turn was asked to do, by the kind of the delta. */
const DELTAS: Readonly<Record<string, string>> = {
  progress: "to change the progress of a goal",
  new_action: "to create an action",
  updated_action: "to change an action",
  completed_action: "to complete an action",
  story_update: "to change a question or story",
  observation: "to add an observation",
  memory: "to remember something",
  goal_status: "to change the status of a goal",
  action_status: "to change the status of an action",
  completed_goal: "to complete a goal",
};

/** Why something was kept, refused or let go, by the code in the trace. */
const CODES: Readonly<Record<string, string>> = {
  owner_violation: "Only the person who owns the action may do this.",
  illegal_transition: "The status does not allow it.",
  blocked: "Something else blocks it.",
  capacity: "It was full.",
  conflict: "Something else had changed it.",
  forbidden: "The agent may not write there.",
  invalid: "A value was wrong.",
  not_found: "What it names does not exist, or the agent may not read it.",
  version_conflict: "It had changed since the agent read it.",
  already_linked: "It was linked to the goal already.",
  below_threshold: "It is not important enough for a goal.",
  low_importance: "It is not important enough for a goal.",
  calls_for_nothing: "It calls for nothing to be done.",
  operational: "It is about the work itself, not about a goal.",
  several_goals: "It fits several goals, so none was chosen.",
  goal_not_found: "Its goal does not exist.",
  goal_not_active: "Its goal has ended.",
  goal_not_writable: "The agent may not change its goal.",
  not_evaluated: "It was not evaluated.",
};

function reasonOf(code: unknown): string {
  const known = CODES[String(code)];
  return known ?? `The reason: ${lower(code)}.`;
}

function startedWith(of: Record<string, unknown>): string {
  const number = (name: string) => Number(of[name] ?? 0);
  const lists = [
    ["goal", number("goals")],
    ["action", number("agent_actions") + number("user_actions")],
    ["question", number("questions")],
  ] as const;
  return listed(lists.flatMap(([one, length]) => (length > 0 ? [counted(length, one)] : []))) || "nothing to do";
}

/** What a commit stores, by the name of the store. */
const STORES: Readonly<Record<string, string>> = {
  episodic: "the memory of what happened",
  frontal_cortex: "goals, actions and questions",
  scratch_page: "the scratch page",
  conversation: "the conversation",
};

const store = (of: Record<string, unknown>): string => STORES[String(of.store)] ?? lower(of.store);

/** Why something is not remembered, by the rule. */
const RULES: Readonly<Record<string, string>> = {
  importance: "not important enough",
  relevance: "about nothing that matters now",
  confidence: "not sure enough",
  actionability: "nothing can be done about it",
  quota: "no room",
  forgotten: "was to be forgotten",
};

const numbers = (value: unknown): [string, number][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).map(([name, number]) => [name, Number(number)])
    : [];

const sum = (value: unknown): number => numbers(value).reduce((whole, [, number]) => whole + number, 0);

function leftOut(value: unknown): string | null {
  const said = numbers(value).map(([rule, number]) => `${number} ${RULES[rule] ?? lower(rule)}`);
  return said.length > 0 ? `Left out: ${said.join(", ")}.` : null;
}

function phasesOf(value: unknown): string | null {
  const said = numbers(value).map(([phase, took]) => `${lower(phase)} ${took.toFixed(1)} ms`);
  return said.length > 0 ? `The phases: ${said.join(", ")}.` : null;
}

const detailsOf = (entry: Entry): Record<string, unknown> =>
  typeof entry.details === "object" && entry.details !== null ? (entry.details as Record<string, unknown>) : {};

/** A code or the name of a field, e.g. `dueAt`, in small letters. */
const lower = (value: unknown): string =>
  inWords(String(value).replace(/([a-z])([A-Z])/g, "$1_$2")).toLowerCase();

const quoted = (status: unknown): string => `“${lower(status)}”`;

/** What each section of a context is about. */
export const SECTIONS: Readonly<Record<ContextSection, string>> = {
  CONSCIOUSNESS: "What the agent must and can do",
  FRONTAL_CORTEX: "Goals, actions, questions and stories",
  EPISODIC_MEMORY: "What happened before",
  SEMANTIC_MEMORY: "What is known",
  CONVERSATION_HISTORY: "The conversation",
  SCRATCH_PAGE: "What was noticed lately",
};

/** Why an item is in a context, or not. */
export const REASONS: Readonly<Record<ContextReason, string>> = {
  ESSENTIAL: "a context must not lack it",
  ACTIVE: "it is being worked on",
  URGENT: "it is urgent",
  MATCHING: "it matches the prompt",
  RECENT: "it is recent",
  HELD: "the session holds it",
  RELATED: "something related led to it",
  OVER_BUDGET: "no tokens were left for it",
  OVER_MAX_ITEMS: "the context had all the items that were wanted",
  OVER_LIMIT: "there were too many of its kind",
  BELOW_MIN_CONFIDENCE: "it is too uncertain",
  BELOW_RELEVANCE: "it has too little to do with the prompt",
  DUPLICATE: "the context says the same already",
  SEEN: "an earlier context of the turn had it",
};

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  Goal: ["goal", "goals"],
  Observation: ["observation", "observations"],
  PendingAction: ["action", "actions"],
  Question: ["question", "questions"],
  Story: ["story", "stories"],
  RememberedMemory: ["memory", "memories"],
  Lesson: ["lesson", "lessons"],
  RegistryProposal: ["proposal", "proposals"],
  ActionTypeOverride: ["action type", "action types"],
};

/** Return what records a turn created or changed, in numbers by kind. */
export function madeInWords(made: { totalCount: number; nodes: readonly { __typename: string }[] }): string {
  if (made.totalCount === 0) return "It created and changed nothing.";
  // Only the first hundred are known by kind.
  if (made.nodes.length < made.totalCount) return `It created or changed ${counted(made.totalCount, "record")}.`;
  const numbers = new Map<string, number>();
  for (const { __typename: name } of made.nodes) numbers.set(name, (numbers.get(name) ?? 0) + 1);
  const order = Object.keys(NOUNS);
  const words = [...numbers]
    .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other))
    .map(([name, number]) => counted(number, ...(NOUNS[name] ?? (["other record", "other records"] as const))));
  return `It created or changed ${listed(words)}.`;
}

/** Return how many steps a turn had, and how many contexts it read. */
export const stepsInWords = (steps: number, contexts: number): string =>
  counted(steps, "step") + (contexts > 0 ? `, ${counted(contexts, "context")}` : "");

/** Return how long something took: `55 minutes`; null if it has not ended. */
export function lasted(from: string, to: string | null): string | null {
  if (!to) return null;
  const minutes = Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return counted(minutes, "minute");
  return counted(Math.round(minutes / 60), "hour");
}
