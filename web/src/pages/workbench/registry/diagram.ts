// A type as a state diagram: statuses in layers from the first one to the last ones, one line for each pair of
// statuses that follow each other. Pure.

import { graphlib, layout } from "@dagrejs/dagre";
import type { ElementDefinition } from "cytoscape";
import { inWords, shortened } from "../../../shared/kinds";
import type { Direction, Point } from "../lineage/layout";
import type { Sign } from "../../../shared/diff";
import { type Definition, nextOf, roleOf, shortNeeds, statusesOf } from "./type";

const NODE = { width: 168, height: 56 };
const GAP = { between: 34, layers: 96 };
const CAPTION = 40;
/** A bend that is smaller than this is drawn straight. */
const LEAST_BEND = 6;
/** How far a line within a layer passes beside the statuses on its way. */
const BESIDE = 22;

/** Stands between two statuses in the id of a line; no status has it in its name. */
const TO = " → ";

/** A line between two statuses: in both directions if each may follow the other. */
interface Line {
  from: string;
  to: string;
  both: boolean;
  sign: Sign;
}

/** Return the status that an element stands for: that of a node, or where a line begins. */
export const statusOf = (element: string): string => element.split(TO)[0] ?? element;

/** Return the elements of the diagram of a type; with another one, also what it had, and what is new. */
export function elementsOf(
  type: Definition,
  direction: Direction,
  former: Definition | null,
  selected: string | null,
): ElementDefinition[] {
  const statuses = [...new Set([...statusesOf(type), ...(former ? statusesOf(former) : [])])];
  const lines = linesOf(type, former, statuses);
  const places = placed(type, statuses, lines, direction);
  return [
    ...statuses.map((status): ElementDefinition => {
      const isKept = type.allowedStatuses.includes(status);
      const sign = !former ? "same" : !isKept ? "gone" : former.allowedStatuses.includes(status) ? "same" : "new";
      const definition = isKept || !former ? type : former;
      const needs = shortNeeds(definition, status);
      return {
        data: {
          id: status,
          kind: "status",
          caption: `${MARKS[sign]}${shortened(inWords(status), CAPTION)}${needs && `\n${needs}`}`,
        },
        position: { ...(places.nodes.get(status) ?? { x: 0, y: 0 }) },
        classes: [`status-${roleOf(definition, status)}`, sign].join(" "),
      };
    }),
    ...lines.map((line): ElementDefinition => {
      const id = `${line.from}${TO}${line.to}`;
      return {
        data: {
          id,
          source: line.from,
          target: line.to,
          ...(line.sign === "same" ? {} : { caption: line.sign === "new" ? "+" : "−" }),
          ...places.bends.get(id),
        },
        classes: [
          "transition",
          line.sign,
          ...(line.both ? ["both-ways"] : []),
          ...(line.from === selected || (line.both && line.to === selected) ? ["leaving"] : []),
        ].join(" "),
      };
    }),
  ];
}

const MARKS: Readonly<Record<Sign, string>> = { same: "", gone: "− ", new: "+ " };

/** Return the lines, those of one direction once, those of both directions as one if they have the same sign. */
function linesOf(type: Definition, former: Definition | null, statuses: readonly string[]): Line[] {
  const signs = new Map<string, Sign>();
  for (const from of statuses) {
    const now = nextOf(type, from);
    const before = former ? nextOf(former, from) : now;
    for (const to of new Set([...now, ...before])) {
      signs.set(`${from}${TO}${to}`, !before.includes(to) ? "new" : !now.includes(to) ? "gone" : "same");
    }
  }
  const lines: Line[] = [];
  for (const [id, sign] of signs) {
    const [from = "", to = ""] = id.split(TO);
    const back = signs.get(`${to}${TO}${from}`);
    if (back !== sign) lines.push({ from, to, both: false, sign });
    else if (statuses.indexOf(from) < statuses.indexOf(to)) lines.push({ from, to, both: true, sign });
  }
  return lines;
}

/** Return how many steps each status is from the first one; the final ones stand together at the end. */
function layersOf(type: Definition, statuses: readonly string[], lines: readonly Line[]): Map<string, number> {
  const layers = new Map<string, number>(statuses.slice(0, 1).map((status) => [status, 0]));
  for (const status of layers.keys()) {
    const next = lines.flatMap((line) =>
      line.from === status ? [line.to] : line.both && line.to === status ? [line.from] : [],
    );
    for (const each of next) if (!layers.has(each)) layers.set(each, (layers.get(status) ?? 0) + 1);
  }
  const isFinal = (status: string) => roleOf(type, status) === "final";
  const last = Math.max(0, ...[...layers].flatMap(([status, layer]) => (isFinal(status) ? [] : [layer])));
  for (const status of statuses) if (isFinal(status) || !layers.has(status)) layers.set(status, last + 1);
  return layers;
}

interface Places {
  nodes: Map<string, Point>;
  /** How the lines bend, as the distances and weights of cytoscape. */
  bends: Map<string, { bends: number[]; weights: number[] }>;
}

function placed(type: Definition, statuses: readonly string[], lines: readonly Line[], direction: Direction): Places {
  const layers = layersOf(type, statuses, lines);
  const layerOf = (status: string) => layers.get(status) ?? 0;
  const graph = new graphlib.Graph({ multigraph: false, compound: false });
  const rankdir = direction === "right" ? "LR" : "TB";
  graph.setGraph({ rankdir, nodesep: GAP.between, ranksep: GAP.layers, edgesep: 24 });
  for (const status of statuses) graph.setNode(status, { ...NODE });
  for (const { from, to } of lines) {
    const [first, second] = layerOf(from) <= layerOf(to) ? [from, to] : [to, from];
    const span = layerOf(second) - layerOf(first);
    if (span > 0) graph.setEdge(first, second, { minlen: span });
  }
  layout(graph);

  const nodes = new Map(statuses.map((status) => [status, pointOf(graph.node(status) as Point)]));
  const bends: Places["bends"] = new Map();
  for (const { from, to } of lines) {
    const start = nodes.get(from);
    const end = nodes.get(to);
    if (!start || !end) continue;
    const id = `${from}${TO}${to}`;
    if (layerOf(from) === layerOf(to)) {
      const passed = statuses.filter((each) => each !== from && each !== to && isBetween(nodes.get(each), start, end));
      const half = (direction === "right" ? NODE.width : NODE.height) / 2;
      // The middle of such a curve lies half as far from the line as its control point.
      if (passed.length > 0) bends.set(id, { bends: [2 * (half + BESIDE)], weights: [0.5] });
      continue;
    }
    const isForward = layerOf(from) < layerOf(to);
    const edge = graph.edge(isForward ? from : to, isForward ? to : from) as { points: Point[] };
    const points = isForward ? edge.points : edge.points.toReversed();
    const bent = points.slice(1, -1).map((point) => bendOf(point, start, end));
    if (bent.some(({ bend }) => Math.abs(bend) > LEAST_BEND)) {
      bends.set(id, { bends: bent.map(({ bend }) => bend), weights: bent.map(({ weight }) => weight) });
    }
  }
  return { nodes, bends };
}

const pointOf = ({ x, y }: Point): Point => ({ x, y });

/** Tell whether a place lies on the way between two others of its layer. */
function isBetween(place: Point | undefined, start: Point, end: Point): boolean {
  if (!place) return false;
  const within = (value: number, one: number, other: number) =>
    value >= Math.min(one, other) - 1 && value <= Math.max(one, other) + 1;
  return within(place.x, start.x, end.x) && within(place.y, start.y, end.y);
}

/** Return where a point lies beside the straight line: how far along it, and how far from it. */
function bendOf(point: Point, start: Point, end: Point): { weight: number; bend: number } {
  const along = { x: end.x - start.x, y: end.y - start.y };
  const length = Math.hypot(along.x, along.y) || 1;
  const from = { x: point.x - start.x, y: point.y - start.y };
  return {
    weight: (from.x * along.x + from.y * along.y) / length ** 2,
    bend: (from.y * along.x - from.x * along.y) / length,
  };
}
