// The observations and goals of the view as elements of a picture. Pure.

import type { ElementDefinition } from "cytoscape";
import type { LinkBoardQuery } from "../../../generated/operations";
import { inPercent } from "../../../shared/figures";
import { inWords, shortened } from "../../../shared/kinds";

export type Observation = LinkBoardQuery["observations"]["nodes"][number];
/** A goal that an observation speaks for, and how. */
export type Linked = Observation["goals"]["edges"][number];
export type Goal = LinkBoardQuery["goals"]["nodes"][number];

/** An observation and the goal that it speaks for. */
export interface Pair {
  observation: string;
  goal: string;
}

/** The id of the place onto which observations are dropped to found a goal. */
export const NEW_GOAL = "new-goal";

const OBSERVATION = { away: 300, row: 58, caption: 74 };
const GOAL = { row: 92, half: 116, caption: 62 };

export const pairId = ({ observation, goal }: Pair): string => `${observation} ${goal}`;

/** Return the elements: goals in a column, observations on both sides of it (on the left alone with one side), and the links. */
export function elementsOf(
  observations: readonly Observation[],
  goals: readonly Goal[],
  chosen: ReadonlySet<string>,
  pending: readonly Pair[],
  sides: 1 | 2,
): ElementDefinition[] {
  const perSide = Math.ceil(observations.length / sides);
  const isLeft = new Map(observations.map((observation, at) => [observation.id, at < perSide]));
  // The columns stand around one middle.
  const middle = (count: number, row: number) => ((1 - count) * row) / 2;
  const shown = new Set(goals.map((goal) => goal.id));
  const links = observations.flatMap((observation) =>
    observation.goals.edges
      .filter((edge) => shown.has(edge.node.id))
      .map((edge) => ({ observation: observation.id, goal: edge.node.id, confidence: edge.confidence })),
  );
  const linked = new Set(links.map(pairId));
  const edge = (pair: Pair, confidence: number, classes: string): ElementDefinition => ({
    data: {
      id: pairId(pair),
      source: pair.observation,
      target: pair.goal,
      width: 1 + 2 * confidence,
      from: "outside-to-node",
      to: `${isLeft.get(pair.observation) ? -GOAL.half : GOAL.half}px 0px`,
    },
    classes,
  });
  return [
    ...observations.map((observation, at) => ({
      data: { id: observation.id, kind: "observation", caption: shortened(observation.content, OBSERVATION.caption) },
      position: {
        x: at < perSide ? -OBSERVATION.away : OBSERVATION.away,
        y: middle(perSide, OBSERVATION.row) + (at % perSide) * OBSERVATION.row,
      },
      classes: [...(at < perSide ? ["leading"] : []), ...(chosen.has(observation.id) ? ["chosen"] : [])].join(" "),
    })),
    ...goals.map((goal, at) => ({
      data: {
        id: goal.id,
        kind: "goal",
        caption: `${shortened(goal.title, GOAL.caption)}\n${inWords(goal.status)} · ${inPercent(goal.progress)}`,
      },
      position: { x: 0, y: middle(goals.length + 1, GOAL.row) + at * GOAL.row },
    })),
    {
      data: { id: NEW_GOAL, kind: "goal", caption: "A new goal …" },
      position: { x: 0, y: middle(goals.length + 1, GOAL.row) + goals.length * GOAL.row },
      classes: "empty",
    },
    ...links.map((link) => edge(link, link.confidence, "")),
    ...pending.filter((pair) => !linked.has(pairId(pair)) && shown.has(pair.goal)).map((pair) => edge(pair, 0.5, "pending")),
  ];
}

/** Tell whether an observation may be dropped here: on a goal that it does not speak for yet, or on the place of a new one. */
export function mayLink(from: string, to: string, observations: readonly Observation[]): boolean {
  const observation = observations.find((each) => each.id === from);
  if (!observation || observations.some((each) => each.id === to)) return false;
  return !observation.goals.edges.some((edge) => edge.node.id === to);
}
