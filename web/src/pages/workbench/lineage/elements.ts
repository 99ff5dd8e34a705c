// The lineage as elements of a picture. Pure.

import type { ElementDefinition } from "cytoscape";
import type { LineageQuery } from "../../../generated/operations";
import { inPercent } from "../../../shared/figures";
import { inWords, isKind, type Kind, shortened } from "../../../shared/kinds";
import { CARD, type Direction, type Point, placed } from "./layout";

export type Lineage = NonNullable<LineageQuery["goalLineage"]>;
export type LineageNode = Lineage["nodes"][number];
export type LineageEdge = Lineage["edges"][number];

/** So many characters of a caption are shown; the list beside the picture has all. */
const CAPTION = { goal: 62, other: 60 };
const DONE = new Set(["completed", "cancelled", "archived", "resolved", "expired", "answered"]);

/** The kinds that are shown only if somebody asks for them: an agent calls tools so often that they would be the picture. */
export const ASKED_FOR: ReadonlySet<Kind> = new Set(["tool_invocation"]);

export interface Shown {
  kinds: ReadonlySet<Kind>;
  /** Whether what is done, archived or expired is shown. */
  done: boolean;
}

/** Return several lineages as one, each node and edge once; those of the first one count. */
export function merged(lineages: readonly Lineage[]): Pick<Lineage, "nodes" | "edges"> {
  const nodes = new Map<string, LineageNode>();
  const edges = new Map<string, LineageEdge>();
  for (const lineage of lineages) {
    for (const node of lineage.nodes) if (!nodes.has(node.id)) nodes.set(node.id, node);
    for (const edge of lineage.edges) if (!edges.has(edgeId(edge))) edges.set(edgeId(edge), edge);
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

/** Return what of a lineage is shown; its goal always is. */
export function filtered(
  { nodes, edges }: Pick<Lineage, "nodes" | "edges">,
  focal: string,
  shown: Shown,
): Pick<Lineage, "nodes" | "edges"> {
  const kept = nodes.filter(
    (node) =>
      node.id === focal || (isKind(node.kind) && shown.kinds.has(node.kind) && (shown.done || !isDone(node))),
  );
  const ids = new Set(kept.map((node) => node.id));
  return { nodes: kept, edges: edges.filter((edge) => ids.has(edge.source.id) && ids.has(edge.target.id)) };
}

export const isDone = (node: LineageNode): boolean => DONE.has(node.status.toLowerCase());

const edgeId = (edge: LineageEdge): string => `${edge.source.id} ${edge.type} ${edge.target.id}`;

/** Return the elements of a picture. */
export function elementsOf(
  nodes: readonly LineageNode[],
  edges: readonly LineageEdge[],
  focal: string,
  direction: Direction,
): ElementDefinition[] {
  const places = placed(
    nodes,
    edges.map((edge) => ({ source: edge.source.id, target: edge.target.id })),
    direction,
  );
  const kinds = new Map(nodes.map((node) => [node.id, node.kind]));
  return [
    ...nodes.map((node) => ({
      data: { id: node.id, kind: node.kind, caption: captionOf(node) },
      position: { ...(places.get(node.id) ?? { x: 0, y: 0 }) },
      classes: [...(node.id === focal ? ["focal"] : []), ...(isDone(node) ? ["faded"] : [])].join(" "),
    })),
    ...edges.map((edge) => ({
      // In a picture the upper node is the source, so that it is the parent; the arrow stands at its end.
      data: {
        id: edgeId(edge),
        source: edge.target.id,
        target: edge.source.id,
        width: edge.type === "EVIDENCES" ? 1 + 2 * (edge.confidence ?? 0.5) : 2,
        ...endsOf(edge, kinds, places, direction),
      },
      classes: [
        ...(kinds.get(edge.source.id) === "goal" ? ["between-goals"] : []),
        ...(edge.type === "DERIVED_FROM" ? ["derived"] : []),
        ...(edge.until ? ["ended"] : []),
        ...(isCrossing(edge, kinds, places) ? ["crossing"] : []),
      ].join(" "),
    })),
  ];
}

/** Return where an edge begins and ends: what hangs below a goal hangs on a straight line from its card. */
function endsOf(
  edge: LineageEdge,
  kinds: Map<string, string>,
  places: Map<string, Point>,
  direction: Direction,
): { from: string; to: string } {
  const upper = places.get(edge.target.id);
  const lower = places.get(edge.source.id);
  if (kinds.get(edge.target.id) !== "goal" || !upper || !lower) return { from: "outside-to-node", to: "outside-to-node" };
  const half = { x: CARD.width / 2, y: CARD.height / 2 };
  if (kinds.get(edge.source.id) === "goal") {
    return direction === "right"
      ? { from: `${half.x}px 0px`, to: `${-half.x}px 0px` }
      : { from: `0px ${half.y}px`, to: `0px ${-half.y}px` };
  }
  const over = Math.min(half.x - 12, Math.max(12 - half.x, lower.x - upper.x));
  return { from: `${over}px ${half.y}px`, to: "outside-to-node" };
}

/** Tell whether an edge leads from one block to another, or between rows: it is there, and in the background. */
function isCrossing(edge: LineageEdge, kinds: Map<string, string>, places: Map<string, Point>): boolean {
  const upper = places.get(edge.target.id);
  const lower = places.get(edge.source.id);
  if (kinds.get(edge.source.id) === "goal" || !upper || !lower) return false;
  const isBelow = Math.abs(lower.x - upper.x) <= CARD.width && lower.y > upper.y;
  return kinds.get(edge.target.id) !== "goal" || !isBelow;
}

function captionOf(node: LineageNode): string {
  if (node.kind !== "goal") return shortened(node.name, CAPTION.other);
  const done = node.progress === null || node.progress === 0 ? "" : ` · ${inPercent(node.progress)}`;
  return `${shortened(node.name, CAPTION.goal)}\n${inWords(node.status)}${done}`;
}
