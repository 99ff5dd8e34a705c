// What each kind of node in a picture is called, its shape, and which of the colours of colours.ts it has.

/** A kind in words and in a picture. */
export interface Look {
  one: string;
  many: string;
  /** The name of the shape in cytoscape. */
  shape: "round-rectangle" | "ellipse" | "round-triangle" | "diamond" | "round-hexagon" | "star" | "round-tag";
}

const LOOKED = {
  goal: { one: "Goal", many: "Goals", shape: "round-rectangle" },
  observation: { one: "Observation", many: "Observations", shape: "ellipse" },
  pending_action: { one: "Action", many: "Actions", shape: "round-triangle" },
  question: { one: "Question", many: "Questions", shape: "diamond" },
  story: { one: "Story", many: "Stories", shape: "round-hexagon" },
  outcome: { one: "Outcome", many: "Outcomes", shape: "star" },
  tool_invocation: { one: "Tool call", many: "Tool calls", shape: "round-tag" },
  session: { one: "Session", many: "Sessions", shape: "round-rectangle" },
} as const satisfies Record<string, Look>;

/** The kinds that pictures show. */
export type Kind = keyof typeof LOOKED;

export const LOOKS: Record<Kind, Look> = LOOKED;

export const KINDS = Object.keys(LOOKS) as Kind[];

/** Tell whether pictures show a kind of which the API speaks. */
export const isKind = (kind: string): kind is Kind => kind in LOOKS;

/** Return a value of the API in words: `IN_PROGRESS` as `In progress`. */
export function inWords(value: string): string {
  const words = value.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Return a kind of the API as one thing is called: `PENDING_ACTION` as `Action`, `FACT` as `Fact`. */
export function kindInWords(kind: string): string {
  const name = kind.toLowerCase();
  return isKind(name) ? LOOKS[name].one : inWords(kind);
}

/** Return a text of at most so many characters, with an ellipsis if it was longer. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
