// Where the nodes of a lineage stand: each goal is a card, and what belongs to it hangs below it in columns.
// The goals lie in layers, what a goal comes from above it or on its left. Pure: it knows neither the page nor cytoscape.

import { graphlib, layout } from "@dagrejs/dagre";
import { type Kind, isKind, KINDS } from "../../../shared/kinds";

export interface Point {
  x: number;
  y: number;
}

export interface LaidNode {
  id: string;
  kind: string;
}

/** An edge as the API gives it: the source depends on the target, which stands above it. */
export interface LaidEdge {
  source: string;
  target: string;
}

/** The size of a goal's card, of a row below it, and of a column of such rows. */
export const CARD = { width: 232, height: 72 };
const ROW = 52;
const COLUMN = 264;
/** The column of shapes stands so far inside of the card's left edge. */
const INSET = 18;
const GAP = { between: 56, below: 72, toRows: 40 };
/** More rows than these begin another column, as long as the block is higher than wide. */
const LEAST_ROWS = 6;

interface Block {
  rows: LaidNode[];
  columns: number;
  perColumn: number;
}

/** Whether what a goal comes from stands to the left of it, or above it. */
export type Direction = "right" | "down";

/** Return the place of each node's centre. A node that belongs to no goal of the picture stands in a row of its own. */
export function placed(
  nodes: readonly LaidNode[],
  edges: readonly LaidEdge[],
  direction: Direction,
): Map<string, Point> {
  const goals = nodes.filter((node) => node.kind === "goal");
  const hosts = hostsOf(nodes, edges);
  const blocks = new Map(goals.map((goal) => [goal.id, block(nodes.filter((node) => hosts.get(node.id) === goal.id))]));

  const graph = new graphlib.Graph({ multigraph: false, compound: false });
  graph.setGraph({ rankdir: direction === "right" ? "LR" : "TB", nodesep: GAP.between, ranksep: GAP.below, ranker: "tight-tree" });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const goal of goals) graph.setNode(goal.id, sizeOf(blocks.get(goal.id)));
  for (const edge of edges) {
    if (blocks.has(edge.source) && blocks.has(edge.target) && edge.source !== edge.target) {
      graph.setEdge(edge.target, edge.source);
    }
  }
  layout(graph);

  const places = new Map<string, Point>();
  let lowest = 0;
  for (const goal of goals) {
    const box = graph.node(goal.id) as Point & { width: number; height: number };
    const top = box.y - box.height / 2;
    const left = box.x - box.width / 2;
    lowest = Math.max(lowest, box.y + box.height / 2);
    places.set(goal.id, { x: left + CARD.width / 2, y: top + CARD.height / 2 });
    const { rows, perColumn } = blocks.get(goal.id) ?? block([]);
    rows.forEach((node, at) => {
      places.set(node.id, {
        x: left + INSET + Math.floor(at / perColumn) * COLUMN,
        y: top + CARD.height + GAP.toRows + (at % perColumn) * ROW,
      });
    });
  }
  nodes
    .filter((node) => !places.has(node.id))
    .forEach((node, at) => {
      places.set(node.id, { x: at * COLUMN, y: lowest + GAP.below });
    });
  return places;
}

/** Return below which goal each other node hangs: the first that it leads to, also by way of a question. */
function hostsOf(nodes: readonly LaidNode[], edges: readonly LaidEdge[]): Map<string, string> {
  const goals = new Set(nodes.filter((node) => node.kind === "goal").map((node) => node.id));
  const above = new Map<string, string[]>();
  for (const { source, target } of edges) above.set(source, [...(above.get(source) ?? []), target]);
  const hosts = new Map<string, string>();
  for (const node of nodes) {
    if (goals.has(node.id)) continue;
    const first = above.get(node.id) ?? [];
    const second = first.flatMap((id) => above.get(id) ?? []);
    const host = [...first, ...second].find((id) => goals.has(id));
    if (host !== undefined) hosts.set(node.id, host);
  }
  return hosts;
}

function block(found: LaidNode[]): Block {
  const order = (node: LaidNode) => (isKind(node.kind) ? KINDS.indexOf(node.kind as Kind) : KINDS.length);
  const rows = found.toSorted((one, other) => order(one) - order(other));
  // A block is about as wide as it is high.
  const columns = Math.max(1, Math.round(Math.sqrt((Math.max(0, rows.length - LEAST_ROWS) * ROW) / COLUMN)) + 1);
  const perColumn = Math.max(1, Math.ceil(rows.length / columns));
  return { rows, columns: Math.max(1, Math.ceil(rows.length / perColumn)), perColumn };
}

function sizeOf(found: Block | undefined): { width: number; height: number } {
  const { rows, columns, perColumn } = found ?? block([]);
  const below = rows.length === 0 ? 0 : GAP.toRows + perColumn * ROW;
  return { width: Math.max(CARD.width, columns * COLUMN), height: CARD.height + below };
}
