// The lists and columns of the board, and what each card offers. Pure.

import type { ActionRulesQuery, CardFieldsFragment } from "../../../generated/operations";
import { inWords } from "../../../shared/kinds";

export type Action = CardFieldsFragment;
export type ActionType = ActionRulesQuery["actionTypes"][number];
export type Me = ActionRulesQuery["me"];

/** Return the id of the element that shows an action. */
export const cardId = (action: string): string => `card-${action}`;

/** The list of one owner. */
export interface List {
  id: string;
  title: string;
  /** What is said when nothing is in it. */
  empty: string;
  actions: Action[];
}

/** Return the lists in their order: one's own first; those of others only if something is in them. */
export function listsOf(actions: readonly Action[], me: Me): List[] {
  const ofPeople = actions.filter((action) => action.owner === "USER");
  const own = ofPeople.filter((action) => action.person && action.person.id === me.person?.id);
  const free = ofPeople.filter((action) => !action.person);
  const others = ofPeople.filter((action) => action.person && action.person.id !== me.person?.id);
  const ofAgents = actions.filter((action) => action.owner !== "USER");
  const owners = [...new Set(["AGENT", ...ofAgents.map((action) => String(action.owner))])];
  const lists: List[] = [
    { id: "own", title: "Your list", empty: "Nothing waits for you.", actions: own },
    { id: "free", title: "For any person", empty: "Nothing waits for a person.", actions: free },
    { id: "others", title: "For other people", empty: "", actions: others },
    ...owners.map((owner) => ({
      id: owner,
      title: `The ${owner.toLowerCase()}’s list`,
      empty: `Nothing waits for the ${owner.toLowerCase()}.`,
      actions: ofAgents.filter((action) => action.owner === owner),
    })),
  ];
  const always = new Set([me.person ? "own" : "free", "AGENT"]);
  return lists.filter((list) => list.actions.length > 0 || always.has(list.id));
}

/** Return the statuses that have a column: those that the types of the actions know, in the order of the types. */
export function columnsOf(actions: readonly Action[], types: readonly ActionType[], done: boolean): string[] {
  const present = new Set(actions.map((action) => action.type));
  const final = new Set(finalStatuses(types));
  const known = types.filter((type) => present.has(type.id)).flatMap((type) => type.allowedStatuses);
  const statuses = [...new Set([...known, ...actions.map((action) => action.status)])];
  const has = (status: string) => actions.some((action) => action.status === status);
  return [
    ...statuses.filter((status) => !final.has(status)),
    ...statuses.filter((status) => final.has(status) && (done || has(status))),
  ];
}

/** Return the statuses that nothing follows. */
export function finalStatuses(types: readonly ActionType[]): string[] {
  const ways = types.flatMap((type) => type.allowedTransitions);
  const statuses = [...new Set(ways.map((way) => way.status))];
  return statuses.filter((status) => ways.every((way) => way.status !== status || way.to.length === 0));
}

/** Return every status of the types. */
export const allStatuses = (types: readonly ActionType[]): string[] => [
  ...new Set(types.flatMap((type) => [...type.allowedStatuses, ...type.retiredStatuses.map((each) => each.status)])),
];

/** Return the statuses that may follow that of an action. */
export function nextOf(action: Action, type: ActionType | undefined): string[] {
  const ways = [...(type?.allowedTransitions ?? []), ...(type?.retiredStatuses ?? [])];
  return ways.find((way) => way.status === action.status)?.to ?? [];
}

/** Tell whether nothing follows a status of a type. */
export const isFinal = (status: string, type: ActionType | undefined): boolean =>
  type?.allowedTransitions.find((way) => way.status === status)?.to.length === 0;

const VERBS: Readonly<Record<string, string>> = {
  pending: "Put back to pending",
  in_progress: "Start",
  awaiting_confirmation: "Let it wait for confirmation",
  blocked: "Mark as blocked",
  completed: "Complete",
  cancelled: "Cancel",
};

/** Return what a transition to a status is called. */
export const verbOf = (status: string): string => VERBS[status] ?? `Move to “${inWords(status).toLowerCase()}”`;

/** Return the texts of which one must be chosen when the action is completed. */
export function optionsOf(action: Action, type: ActionType | undefined): string[] {
  if (type?.policyHandlers.completionGuard !== "CHOICE_REQUIRED") return [];
  const { metadata } = action;
  const options = typeof metadata === "object" && metadata !== null && "options" in metadata ? metadata.options : [];
  return Array.isArray(options) ? options.filter((option): option is string => typeof option === "string") : [];
}

/** Tell whether somebody should confirm the action. */
export const waitsForConfirmation = (action: Action, type: ActionType | undefined): boolean =>
  action.requiresConfirmation && !action.confirmedAt && !isFinal(action.status, type);

const WEIGHTS = ["low", "medium", "high", "critical"];

/** Return why an action stands where it does, as sentences. */
export function rankInWords(action: Action): string[] {
  const { density, alignment } = action.score;
  const at = WEIGHTS.indexOf(action.priority);
  const weight = at < 0 ? "" : ` (${at + 1} of ${WEIGHTS.length})`;
  const effort = action.effort === null ? "an effort of 1, as none is given" : `an effort of ${action.effort}`;
  return [
    `Priority ${action.priority}${weight}, divided by ${effort}: ${density.toFixed(2)}.`,
    "The highest number comes first.",
    action.dueAt
      ? "Among equals, an earlier due time comes first."
      : "It has no due time, so equals with one come first.",
    action.blocking ? "It blocks its goal, so it comes before equals that block nothing." : "It blocks nothing.",
    action.goal ? `Its goal has the relevance ${alignment.toFixed(2)}, from 0 to 1.` : "It belongs to no goal.",
  ];
}
