// A context as a person reads it: its lines, what it uses of the budget, and the reasons in words.

import type {
  ContextItemFieldsFragment,
  ContextPreviewQuery,
  ContextReason,
  ContextSection,
  ContextSource,
} from "../../../generated/operations";
import { shortened } from "../../../shared/kinds";
import { inFull, onDay } from "../../../shared/times";

export type Item = ContextItemFieldsFragment;
export type Context = ContextPreviewQuery["previewContext"];
export type Excluded = Context["receipt"]["excluded"][number];
type Sections = Pick<Context, "sections">["sections"];
type Node = NonNullable<Item["via"]>;

export const BUDGET = { least: 200, most: 8_000, step: 50, usual: 1_000 } as const;

/** The tokens of a heading, at most. */
const HEADING = 4;

/** Return the budget of the address, within the limits and a multiple of the step. */
export function budgetOf(given: string | null): number {
  const wanted = Number(given) || BUDGET.usual;
  const stepped = Math.round(wanted / BUDGET.step) * BUDGET.step;
  return Math.min(BUDGET.most, Math.max(BUDGET.least, stepped));
}

export const SECTIONS: Record<ContextSection, string> = {
  CONSCIOUSNESS: "Mandates and capabilities",
  FRONTAL_CORTEX: "Goals and what follows from them",
  EPISODIC_MEMORY: "What happened",
  SEMANTIC_MEMORY: "Facts, skills and lessons",
  CONVERSATION_HISTORY: "Conversation",
  SCRATCH_PAGE: "Observations",
};

export const REASONS: Record<ContextReason, string> = {
  ESSENTIAL: "It must always be there.",
  ACTIVE: "It holds at the moment.",
  URGENT: "It is urgent.",
  MATCHING: "It fits the prompt.",
  RECENT: "It is recent.",
  HELD: "The session holds it.",
  RELATED: "An earlier session left it unfinished.",
  OVER_BUDGET: "The budget has no room for it.",
  OVER_MAX_ITEMS: "There are enough items already.",
  OVER_LIMIT: "There are enough items of its kind.",
  BELOW_MIN_CONFIDENCE: "It is too uncertain.",
  BELOW_RELEVANCE: "It does not fit the prompt well enough.",
  DUPLICATE: "Another item says the same.",
  SEEN: "The agent has seen it already.",
};

/** What was late, in words. */
export const LATE: Record<ContextSource, string> = {
  STANDING: "mandates, capabilities, active goals and what is recent",
  STEPS: "actions, questions and stories",
  MEMORIES: "memories that fit the prompt",
  CONTRADICTIONS: "what contradicts the observations",
  SESSION: "what the session holds",
  MEANING: "memories found by their meaning (its vector was late, or the stored ones are of another encoder)",
};

export const PARTS = [
  ["relevance", "Fits the prompt"],
  ["urgency", "Urgent"],
  ["recency", "New"],
  ["confidence", "Certain"],
] as const satisfies readonly [keyof Item["parts"], string][];

/** Return the sections that have items. */
export const filled = (sections: Sections): Sections => sections.filter((section) => section.items.length > 0);

/** Return all items, in the order of the text. */
export const itemsOf = (sections: Sections): Item[] => sections.flatMap((section) => section.items);

/** A part of the budget: of a section, the headings, or free. */
export interface Use {
  name: ContextSection | "HEADINGS" | "FREE";
  title: string;
  tokens: number;
}

/** Return what uses the budget, section by section, with the headings and what is free. */
export function usesOf(context: Pick<Context, "sections" | "budget" | "budgetRemaining">): Use[] {
  const sections = filled(context.sections).map((section) => ({
    name: section.name,
    title: SECTIONS[section.name],
    tokens: section.items.reduce((sum, item) => sum + item.tokens, 0),
  }));
  const ofItems = sections.reduce((sum, section) => sum + section.tokens, 0);
  const used = context.budget - context.budgetRemaining;
  const headings: Use = { name: "HEADINGS", title: "Headings", tokens: Math.max(0, used - ofItems) };
  const free: Use = { name: "FREE", title: "Free", tokens: context.budgetRemaining };
  return [...sections, ...(headings.tokens > 0 ? [headings] : []), free];
}

/** What was left out for one reason: how many items, and the best of them. */
export interface LeftOutFor {
  reason: ContextReason;
  count: number;
  items: Excluded[];
}

/** Return what was left out by reason, what the budget has no room for first, then the most. */
export function leftOutOf({ excluded, excludedCounts }: Context["receipt"]): LeftOutFor[] {
  const room = ({ reason }: LeftOutFor) => Number(reason === "OVER_BUDGET");
  return excludedCounts
    .map(({ reason, count }) => ({ reason, count, items: excluded.filter((item) => item.reason === reason) }))
    .toSorted((one, other) => room(other) - room(one) || other.count - one.count);
}

/** Return a budget with room for all that this one has no room for; null if the receipt does not list all of it. */
export function budgetForAll(context: Context, left: readonly LeftOutFor[]): number | null {
  const over = left.find(({ reason }) => reason === "OVER_BUDGET");
  if (!over || over.items.length < over.count) return null;
  const missing = over.items.reduce((sum, item) => sum + item.tokens + HEADING, 0);
  return Math.ceil((context.budget - context.budgetRemaining + missing) / BUDGET.step) * BUDGET.step;
}

/** Return the name of a node. */
export function nameOf(node: Node): string {
  switch (node.__typename) {
    case "Goal":
    case "PendingAction":
      return node.title;
    case "Question":
      return node.text;
    case "Story":
      return node.narrative;
    case "Observation":
    case "RememberedMemory":
      return node.content;
    case "Lesson":
      return node.statement;
    case "Entity":
      return node.name;
    case "Session":
      return `Session ${node.key}`;
    default:
      return "Something else";
  }
}

export type Names = ReadonlyMap<string, string>;

/** Return the names of all nodes that the items speak of, by id. */
export function namesOf(items: readonly Pick<Item, "node" | "via">[]): Names {
  const nodes = items.flatMap((item) => [item.node, item.via]).filter((node): node is Node => Boolean(node));
  return new Map(nodes.map((node) => [node.id, nameOf(node)]));
}

/** What an id is of, where the name of the node is not known. */
const UNNAMED: Record<string, string> = {
  ent: "a name in the prompt",
  obs: "an observation",
  goal: "a goal",
  act: "an action",
  qst: "a question",
  story: "a story",
  ses: "a session",
};

const unnamed = (id: string): string => UNNAMED[id.split("_")[0] ?? ""] ?? "another memory";

/** A step of the path that led to an item. */
export interface Step {
  id: string;
  name: string;
  goal: boolean;
}

/** Return the path that led from the prompt to an item. */
export function pathOf(item: Pick<Item, "path">, names: Names): Step[] {
  return item.path.map((id) => {
    const name = names.get(id);
    return { id, name: name ? shortened(name, 80) : unnamed(id), goal: id.startsWith("goal_") };
  });
}

/** A line of the context: its text, and what else it says. */
export interface Line {
  text: string;
  about: string[];
}

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const LINE = new RegExp(
  "^- (?:[a-z]+_[0-9A-Z]{26} )?" +
    "(?:(?<at>\\d{4}-\\d\\d-\\d\\d(?:T\\S+)?) )?" +
    "(?:\\((?<confidence>[01]\\.\\d+)\\) )?" +
    `(?:(?<speaker>${QUOTED}): )?` +
    "(?:\\((?<part>part \\d+ of \\d+)\\) )?" +
    `(?<text>${QUOTED})` +
    "(?: \\((?<facts>[^)]*)\\))?" +
    "(?<rest>.*)$",
  "s",
);

const unquoted = (text: string): string => JSON.parse(text) as string;

/** Return a line of the context without its marks and ids, which are for agents. */
export function readLine(line: string, names: Names): Line {
  const found = LINE.exec(line.trimEnd())?.groups;
  if (!found?.text) return { text: line.replace(/^- /, "").trimEnd(), about: [] };
  const { at, confidence, speaker, part, text, facts, rest } = found;
  const about = [
    speaker && `said by ${unquoted(speaker)}`,
    at && (at.includes("T") ? inFull(at) : onDay(at)),
    confidence && `confidence ${confidence}`,
    part,
    ...(facts ?? "").split(", ").map((fact) => factInWords(fact)),
    restInWords(rest ?? "", names),
  ];
  return { text: unquoted(text), about: about.filter((each): each is string => Boolean(each)) };
}

function factInWords(fact: string): string {
  const due = /^due (\S+)$/.exec(fact)?.[1];
  return due ? `due ${inFull(due)}` : fact.replaceAll("_", " ").replace(/^(\d+)%$/, "$1 % done");
}

/** Return what a line says after its text, with names for ids: `for “Order by Friday noon”`. */
function restInWords(rest: string, names: Names): string {
  return rest.trim().replace(new RegExp(`${QUOTED}|<|[a-z]+_[0-9A-Z]{26}`, "g"), (found) => {
    if (found === "<") return "in";
    const name = found.startsWith('"') ? unquoted(found) : names.get(found);
    return name ? `“${shortened(name, 80)}”` : unnamed(found);
  });
}
