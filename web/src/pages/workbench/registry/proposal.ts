// A proposal in words: what it is called, how far it is, and who may do what with it. Pure.

import type { MyselfQuery, ProposalDetailsQuery, ProposalLineFragment } from "../../../generated/operations";
import { inWords } from "../../../shared/kinds";
import { listed } from "../record/record";

type Node = NonNullable<ProposalDetailsQuery["node"]>;
export type Proposal = Extract<Node, { __typename: "RegistryProposal" }>;
type Review = ProposalLineFragment["reviews"][number];
type Me = MyselfQuery["me"];

const VERBS = { ADD: "Add", MODIFY: "Change", DEPRECATE: "Deprecate" } as const;
const SUBJECTS = { ACTION_TYPE: "the type", POLICY: "the policy", HANDLER: "the handler" } as const;

/** Return what a proposal is called. */
export function titleOf(proposal: ProposalLineFragment): string {
  const { proposalType, subject, displayName, requestedName, typeId } = proposal;
  const name = displayName ?? (typeId ? inWords(typeId) : requestedName) ?? "a name that nobody gave";
  return `${VERBS[proposalType]} ${SUBJECTS[subject]} “${name}”`;
}

/** Return a review in a few words. */
export const reviewInWords = (review: Review): string =>
  `${review.decision === "APPROVE" ? "Approved" : "Rejected"} by ${review.by?.name ?? "the service"}`;

/** A step of a proposal's life. */
export interface Step {
  title: string;
  /** When it was; null if it has not happened. */
  at: string | null;
  by: string | null;
  state: "done" | "wrong" | "next" | "later";
}

/** Return the life of a proposal: what happened, what comes next, and what may come later. */
export function lifeOf(proposal: Proposal): Step[] {
  const submitted: Step = {
    title: "Submitted",
    at: proposal.createdAt,
    by: proposal.createdBy?.name ?? "the service",
    state: "done",
  };
  const decided = proposal.reviews.map(
    (review): Step => ({
      title: review.decision === "APPROVE" ? "Approved" : "Rejected",
      at: review.at,
      by: review.by?.name ?? "the service",
      state: review.decision === "APPROVE" ? "done" : "wrong",
    }),
  );
  if (proposal.status === "REJECTED") return [submitted, ...decided];
  if (proposal.status === "WITHDRAWN") {
    return [submitted, ...decided, { title: "Withdrawn", at: proposal.updatedAt, by: null, state: "wrong" }];
  }
  const isMerged = proposal.status === "MERGED";
  const rest: [title: string, at: string | null][] = [
    ...(decided.length > 0 ? [] : [["Reviewed", null] as [string, null]]),
    ["Exported", proposal.exportedAt],
    ["Merged", proposal.mergedAt],
  ];
  // What is already in force needs neither a review nor a branch.
  const ahead = rest.filter(([, at]) => at || !isMerged);
  const next = ahead.find(([, at]) => !at)?.[0];
  return [
    submitted,
    ...decided,
    ...ahead.map(([title, at]): Step => {
      const state = at ? "done" : title === next ? "next" : "later";
      return { title, at, by: null, state };
    }),
  ];
}

const isMaintainer = (me: Me): boolean => me.permissions.includes("maintain");

const idsOf = (me: Me): ReadonlySet<string> =>
  new Set([me.actor, me.agent, me.person].flatMap((actor) => (actor ? [actor.id] : [])));

const isAuthor = (proposal: Proposal, me: Me): boolean => {
  const ids = idsOf(me);
  return proposal.authors.nodes.some((author) => ids.has(author.id));
};

/** Return why somebody may not review a proposal; null if they may. */
export function whyNoReview(proposal: Proposal, me: Me): string | null {
  if (!isMaintainer(me)) {
    const roles = me.roles.length > 0 ? `the role ${listed(me.roles)}` : "no role";
    const next = "Sign out, and in again with a maintainer’s token.";
    return `Only a maintainer reviews proposals, and your token has ${roles}. ${next}`;
  }
  return isAuthor(proposal, me)
    ? "You submitted or revised this proposal, so another maintainer has to review it."
    : null;
}

/** Tell whether somebody may take a proposal back. */
export const mayWithdraw = (proposal: Proposal, me: Me): boolean =>
  (proposal.status === "OPEN" || (proposal.status === "APPROVED" && !proposal.exportedAt)) &&
  (isMaintainer(me) || isAuthor(proposal, me));

/** Return why somebody may not export an approved proposal; null if they may. */
export function whyNoExport(proposal: Proposal, me: Me): string | null {
  if (!isMaintainer(me)) return "A maintainer exports it next, as a branch of the registry’s repository.";
  if (proposal.subject !== "ACTION_TYPE") {
    return "It has no file to export: people build it, and it is merged once the service has it.";
  }
  return null;
}

/** A scenario that a proposal brings: what happens to an action, step by step. */
export interface Fixture {
  name: string;
  steps: string[];
}

/** Return the fixtures of a proposal in words. They are JSON that somebody wrote, so nothing is taken for granted. */
export function fixturesOf(diff: unknown): Fixture[] {
  const fixtures = objectOf(diff).fixtures;
  if (!Array.isArray(fixtures)) return [];
  return fixtures.map((fixture) => {
    const { name, steps } = objectOf(fixture);
    return {
      name: typeof name === "string" ? name : "A scenario without a name",
      steps: Array.isArray(steps) ? steps.map((step) => stepInWords(objectOf(step))) : [],
    };
  });
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

function stepInWords(step: Record<string, unknown>): string {
  const who = step.by === "user" ? "A person" : step.by === "agent" ? "An agent" : "";
  const status = (value: unknown) => `“${inWords(String(value)).toLowerCase()}”`;
  const what =
    step.confirms === true
      ? `${who} confirms it`
      : step.to
        ? `${who} sets ${status(step.to)}`
        : step.reports
          ? `${who} reports that it ${step.reports === "done" ? "is done" : "failed"}`
          : step.other
            ? `${who} sets another action to ${status(step.other)}`
            : step.overdue
              ? `It is overdue by ${String(step.overdue)}`
              : JSON.stringify(step);
  const choice = step.choice ? `, with the choice “${String(step.choice)}”` : "";
  const end = step.refused
    ? `: refused, ${inWords(String(step.refused)).toLowerCase()}`
    : step.becomes
      ? `: it becomes ${status(step.becomes)}`
      : step.escalates
        ? `: ${inWords(String(step.escalates)).toLowerCase()}`
        : "";
  return `${what}${choice}${end}.`;
}
