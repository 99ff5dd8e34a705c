// An action type in words and as lines that can be compared. Pure.

import type { FiledTypeFieldsFragment, TypeFieldsFragment } from "../../../generated/operations";
import { counted } from "../../../shared/figures";
import { inWords } from "../../../shared/kinds";
import { listed } from "../record/record";

/** The definition of an action type, wherever it comes from. */
export type Definition = TypeFieldsFragment | FiledTypeFieldsFragment;

/** What a status is in the life of an action: nothing leads out of a final one. */
export type Role = "initial" | "between" | "final";

export const ROLES: Readonly<Record<Role, string>> = {
  initial: "A new action starts here",
  between: "On the way",
  final: "Nothing follows",
};

const COMPLETED = "completed";
const CANCELLED = "cancelled";
const STARTED = "in_progress";

/** Return the statuses that may follow a status. */
export const nextOf = (type: Definition, status: string): readonly string[] =>
  [...type.allowedTransitions, ...type.retiredStatuses].find((way) => way.status === status)?.to ?? [];

/** Return every status of a type, also those that no action enters any more. */
export const statusesOf = (type: Definition): string[] => [
  ...new Set([...type.allowedStatuses, ...type.retiredStatuses.map((way) => way.status)]),
];

/** Return the role of a status. */
export function roleOf(type: Definition, status: string): Role {
  if (status === type.allowedStatuses[0]) return "initial";
  return nextOf(type, status).length === 0 ? "final" : "between";
}

/** Return what an action needs before it enters a status, as short phrases: the rules of docs/spec/actions.md. */
export function needsOf(type: Definition, status: string): string[] {
  const { completionGuard } = type.policyHandlers;
  const isApproved = completionGuard === "APPROVAL_REQUIRED";
  const confirmed = "once a person has confirmed it";
  switch (status) {
    case STARTED:
      return isApproved ? [confirmed] : [];
    case COMPLETED:
      return [
        ...(isApproved || type.defaultPolicies.requiresConfirmation ? [confirmed] : []),
        ...(completionGuard === "CHOICE_REQUIRED" ? ["with one of its options"] : []),
      ];
    default:
      return [];
  }
}

/** Return what is told of a status in the picture, in few words. */
export function shortNeeds(type: Definition, status: string): string {
  const short: Readonly<Record<string, string>> = {
    "once a person has confirmed it": "once confirmed",
    "with one of its options": "with a choice",
  };
  return needsOf(type, status)
    .map((need) => short[need] ?? need)
    .join(", ");
}

/** Return who may move an action to a status; null if anybody who may change the action. */
export function whoMay(type: Definition, status: string): string | null {
  if (![STARTED, COMPLETED, CANCELLED].includes(status) || !type.allowedOwners.includes("USER")) return null;
  return type.allowedOwners.length === 1 ? "only a person" : "only a person, if the action is a person’s";
}

const OWNERS = { AGENT: "an agent", USER: "a person" } as const;

/** Return who may own actions of a type. */
export function ownersInWords(type: Definition): string {
  const [first = "", second] = type.allowedOwners.map((owner) => OWNERS[owner]);
  return second ? `${capital(first)} or ${second}; ${first} if none is named` : `Only ${first}`;
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

export const statusInWords = (status: string): string => inWords(status).toLowerCase();

const ESCALATIONS = {
  NOTIFY: "tell those who listen",
  RAISE_PRIORITY: "raise the priority by one step",
  HAND_TO_USER: "hand it to the person",
  ASK_QUESTION: "ask the person how to proceed",
} as const;

const UNITS: readonly [letter: string, one: string][] = [
  ["D", "day"],
  ["H", "hour"],
  ["M", "minute"],
  ["S", "second"],
];

/** Return a duration such as `PT1H30M` in words; as it is if it has years, months or weeks. */
export function durationInWords(duration: string): string {
  const found = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(duration);
  if (!found) return duration;
  const parts = UNITS.flatMap(([, one], at) => {
    const number = Number(found[at + 1] ?? 0);
    return number > 0 ? [counted(number, one)] : [];
  });
  return listed(parts);
}

/** Return when an action escalates, and what happens then; null if it never does. */
export function escalationInWords(type: Definition): string | null {
  const escalation = type.defaultPolicies.escalation;
  if (!escalation) return null;
  const after = durationInWords(escalation.after);
  return `${after ? `${after} after it was due` : "As soon as it is due"}: ${ESCALATIONS[escalation.policy]}`;
}

/** Return the rules of a type that are not about a single status, as sentences. */
export function rulesOf(type: Definition): string[] {
  const { requiresConfirmation, autoComplete, blocking } = type.defaultPolicies;
  const escalation = escalationInWords(type);
  return [
    ...(requiresConfirmation ? ["A person confirms an action before an agent completes it."] : []),
    ...(type.policyHandlers.completionGuard === "APPROVAL_REQUIRED"
      ? ["Nobody starts or completes an action before a person has confirmed it."]
      : []),
    ...(type.policyHandlers.completionGuard === "CHOICE_REQUIRED"
      ? ["Whoever completes an action chooses one of its options."]
      : []),
    ...(blocking ? ["While an action is open, the other actions of its goal cannot start."] : []),
    ...(autoComplete ? ["The result of the agent that carries an action out completes it."] : []),
    ...(type.policyHandlers.due === "AFTER_EVENT" ? ["An action can become due when an event happens."] : []),
    ...(escalation ? [`${escalation}.`] : []),
    `After a failure an action is ${statusInWords(type.failureStatus)}.`,
    ...type.formerStatuses.map(
      ({ status, now }) => `An action that is still ${statusInWords(status)} counts as ${statusInWords(now)}.`,
    ),
  ];
}

/** A part of a definition: its name, and what it says line by line. */
export interface Part {
  name: string;
  lines: string[];
}

/** Return a definition as parts of lines, in one order, so that two can be compared. */
export function partsOf(type: Definition | null): Part[] {
  if (!type) return PARTS.map((name) => ({ name, lines: [] }));
  const lines: Readonly<Record<(typeof PARTS)[number], string[]>> = {
    Name: [type.displayName],
    Description: type.description ? [type.description] : [],
    Owners: [ownersInWords(type)],
    Statuses: type.allowedStatuses.map((status, at) => `${statusInWords(status)}${at === 0 ? ", of a new action" : ""}`),
    Transitions: type.allowedTransitions.flatMap((way) =>
      way.to.map((to) => `${statusInWords(way.status)} → ${statusInWords(to)}`),
    ),
    Rules: rulesOf(type),
    "New actions": [
      ...(type.deprecationStatus === "DEPRECATED" ? ["Nobody should use the type any more."] : []),
      ...(type.replacedBy ? [`They get the type ${type.replacedBy.id} instead.`] : []),
      ...(type.blockNew ? ["They are refused."] : []),
      ...(type.note ? [type.note] : []),
      ...(type.rolloutFlag ? [`They need the rollout flag ${type.rolloutFlag}.`] : []),
    ],
  };
  return PARTS.map((name) => ({ name, lines: lines[name] }));
}

const PARTS = ["Name", "Description", "Owners", "Statuses", "Transitions", "Rules", "New actions"] as const;

/** What keeps people from using a type, or changes what they get: words for badges. */
export function marksOf(type: Definition): { text: string; wrong: boolean }[] {
  return [
    ...(type.retired ? [{ text: "Retired", wrong: true }] : []),
    ...(type.deprecationStatus === "DEPRECATED" ? [{ text: "Deprecated", wrong: true }] : []),
    ...(type.rolloutFlag && !type.usable ? [{ text: "Not released", wrong: true }] : []),
    ...(type.source === "OVERRIDE" ? [{ text: "Your organisation’s", wrong: false }] : []),
  ];
}
