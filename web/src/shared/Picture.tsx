// A picture of a graph: cytoscape in a box, with the looks of the page. It is not for readers of the screen:
// whoever shows a picture also shows its nodes as a list.

import cytoscape, { type Core, type ElementDefinition, type NodeSingular } from "cytoscape";
import { type ReactNode, useEffect, useRef } from "react";
import { COLOURS } from "./colours";
import { KINDS, LOOKS } from "./kinds";

export interface PictureProps {
  /** Nodes with places, and edges. A changed list is drawn; what stays keeps its place on the screen. */
  elements: ElementDefinition[];
  selected: string | null;
  onSelect: (id: string | null) => void;
  /** What a double click on a node does. */
  onOpen?: (id: string) => void;
  /** Anew each time that the whole picture should be seen, e.g. another goal. */
  subject: string;
  /** Called with the picture once it is there; what it returns runs when the picture goes. */
  onReady?: (picture: Core) => (() => void) | undefined;
  label: string;
  /** What stands in the lower left corner. */
  children?: ReactNode;
}

/** The least and the greatest zoom, and the one at which captions are read with ease. */
const ZOOM = { least: 0.08, most: 2.5, first: 1 };
const PADDING = 32;

export function Picture({ elements, selected, onSelect, onOpen, subject, onReady, label, children }: PictureProps) {
  const box = useRef<HTMLDivElement>(null);
  const picture = useRef<Core>(null);
  const handlers = useRef({ onSelect, onOpen, onReady });
  handlers.current = { onSelect, onOpen, onReady };

  useEffect(() => {
    if (!box.current) return;
    const made = cytoscape({
      container: box.current,
      minZoom: ZOOM.least,
      maxZoom: ZOOM.most,
      boxSelectionEnabled: false,
      selectionType: "single",
      hideEdgesOnViewport: false,
      style: styleOf(box.current),
    });
    picture.current = made;
    made.on("tap", "node, edge", (event) => handlers.current.onSelect(event.target.id() as string));
    made.on("tap", (event) => {
      if (event.target === made) handlers.current.onSelect(null);
    });
    made.on("dbltap", "node", (event) => handlers.current.onOpen?.(event.target.id() as string));
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const restyle = () => box.current && made.style(styleOf(box.current));
    dark.addEventListener("change", restyle);
    const resized = new ResizeObserver(() => made.resize());
    resized.observe(box.current);
    const leave = handlers.current.onReady?.(made);
    return () => {
      leave?.();
      resized.disconnect();
      dark.removeEventListener("change", restyle);
      picture.current = null;
      made.destroy();
    };
  }, []);

  const shown = useRef("");
  useEffect(() => {
    const core = picture.current;
    if (!core) return;
    draw(core, elements);
    // Also once the first elements of a subject are there.
    const now = elements.length > 0 ? subject : "";
    if (shown.current === now) return;
    shown.current = now;
    core.fit(undefined, PADDING);
    if (core.zoom() > ZOOM.first) {
      core.zoom(ZOOM.first);
      core.center();
    }
  }, [elements, subject]);

  useEffect(() => {
    const core = picture.current;
    if (!core) return;
    core.elements(":selected").unselect();
    if (selected) core.getElementById(selected).select();
  }, [selected, elements]);

  const zoomBy = (factor: number) => {
    const core = picture.current;
    core?.zoom({ level: core.zoom() * factor, renderedPosition: { x: core.width() / 2, y: core.height() / 2 } });
  };
  return (
    <div className="picture">
      <div className="picture-box" ref={box} role="img" aria-label={label} />
      {children && <div className="picture-corner">{children}</div>}
      <div className="picture-tools">
        <button type="button" onClick={() => zoomBy(1.3)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoomBy(1 / 1.3)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => picture.current?.fit(undefined, PADDING)}>
          Fit
        </button>
      </div>
    </div>
  );
}

/** Draw the elements: new ones appear, others go, and what stays moves to its new place. */
function draw(core: Core, elements: ElementDefinition[]): void {
  core.batch(() => {
    const wanted = new Set(elements.map((element) => element.data.id as string));
    core.elements().forEach((element) => {
      if (!wanted.has(element.id())) element.remove();
    });
    const fresh: ElementDefinition[] = [];
    for (const element of elements) {
      const there = core.getElementById(element.data.id as string);
      if (there.empty()) {
        fresh.push(element);
        continue;
      }
      there.data(element.data);
      there.classes(classesOf(element));
      if (element.position && there.isNode()) (there as unknown as NodeSingular).position(element.position);
    }
    core.add(fresh);
  });
}

const classesOf = (element: ElementDefinition): string[] =>
  typeof element.classes === "string" ? element.classes.split(" ") : (element.classes ?? []);

/** Return the style of all pictures, with the colours that the page has at the moment. */
function styleOf(element: HTMLElement): cytoscape.StylesheetJson {
  const page = getComputedStyle(element);
  const colour = (name: string) => page.getPropertyValue(name).trim();
  const ink = colour("--ink");
  const paper = colour("--paper");
  const accent = colour("--accent");
  return [
    {
      selector: "node[caption]",
      style: { label: "data(caption)" },
    },
    {
      selector: "node",
      style: {
        color: ink,
        "font-family": page.fontFamily,
        "font-size": 13,
        "text-wrap": "wrap",
        "text-max-width": "204px",
        "line-height": 1.25,
        "min-zoomed-font-size": 5,
        "border-width": 1.5,
        width: 24,
        height: 24,
        "text-halign": "right",
        "text-valign": "center",
        "text-margin-x": 8,
        "text-justification": "left",
        "overlay-opacity": 0,
      },
    },
    ...KINDS.map((kind) => ({
      selector: `node[kind = "${kind}"]`,
      style: {
        shape: LOOKS[kind].shape,
        "background-color": COLOURS[kind].fill,
        "border-color": COLOURS[kind].edge,
      },
    })),
    {
      selector: 'node[kind = "goal"], node[kind = "session"]',
      style: {
        width: 232,
        height: 72,
        color: COLOURS.goal.text,
        "font-weight": 500,
        "text-halign": "center",
        "text-margin-x": 0,
        "text-justification": "center",
      },
    },
    { selector: "node.leading", style: { "text-halign": "left", "text-margin-x": -8, "text-max-width": "250px", "text-justification": "right" } },
    { selector: "node.chosen", style: { "border-width": 5, "border-color": accent, "border-position": "outside" } },
    { selector: "node.empty", style: { "background-opacity": 0, "border-style": "dashed", "border-color": colour("--edge"), color: ink } },
    { selector: "node.faded", style: { opacity: 0.55 } },
    {
      selector: "node.focal",
      style: { "border-width": 5, "border-color": accent, "font-weight": 700, "border-position": "outside" },
    },
    {
      // The edges that are drawn while somebody drags have none of these.
      selector: "edge[width][from][to]",
      style: {
        width: "data(width)",
        "source-endpoint": "data(from)",
        "target-endpoint": "data(to)",
      },
    },
    {
      selector: "edge",
      style: {
        "line-color": colour("--edge"),
        "curve-style": "bezier",
        "source-arrow-shape": "none",
        "source-arrow-color": colour("--edge"),
        "arrow-scale": 0.9,
        "overlay-opacity": 0,
      },
    },
    {
      selector: "edge[caption]",
      style: {
        label: "data(caption)",
        color: ink,
        "font-family": page.fontFamily,
        "font-size": 13,
        "min-zoomed-font-size": 5,
        "text-wrap": "wrap",
        "text-background-color": paper,
        "text-background-opacity": 0.9,
        "text-background-padding": "3px",
      },
    },
    // A state diagram: where an action starts, what it goes through, and where nothing follows.
    {
      selector: 'node[kind = "status"]',
      style: {
        shape: "round-rectangle",
        width: 168,
        height: 56,
        "background-color": colour("--raised"),
        "border-color": colour("--soft"),
        "text-halign": "center",
        "text-margin-x": 0,
        "text-max-width": "156px",
        "text-justification": "center",
      },
    },
    {
      selector: "node.status-initial",
      style: { shape: "ellipse", "background-color": accent, "border-color": accent, color: paper, "font-weight": 600 },
    },
    {
      selector: "node.status-final",
      style: { shape: "cut-rectangle", "background-color": ink, "border-color": ink, color: paper, "font-weight": 600 },
    },
    { selector: "node.new", style: { "border-width": 4, "border-color": colour("--good") } },
    { selector: "node.gone", style: { "border-width": 4, "border-style": "dashed", "border-color": colour("--wrong") } },
    {
      selector: "edge.transition",
      style: { width: 1.5, "target-arrow-shape": "triangle", "line-color": colour("--soft"), "target-arrow-color": colour("--soft"), "source-arrow-color": colour("--soft") },
    },
    {
      selector: "edge[bends][weights]",
      style: {
        "curve-style": "unbundled-bezier",
        "control-point-distances": "data(bends)",
        "control-point-weights": "data(weights)",
      },
    },
    {
      selector: "edge.leaving",
      style: { width: 3, "line-color": accent, "target-arrow-color": accent, "source-arrow-color": accent, "z-index": 1 },
    },
    { selector: "edge.both-ways", style: { "source-arrow-shape": "triangle" } },
    {
      selector: "edge.new",
      style: { width: 2.5, "line-color": colour("--good"), "target-arrow-color": colour("--good"), "source-arrow-color": colour("--good"), color: colour("--good"), "font-size": 18, "font-weight": 700 },
    },
    {
      selector: "edge.gone",
      style: { width: 2.5, "line-style": "dashed", "line-color": colour("--wrong"), "target-arrow-color": colour("--wrong"), "source-arrow-color": colour("--wrong"), color: colour("--wrong"), "font-size": 18, "font-weight": 700 },
    },
    { selector: "edge.between-goals", style: { "source-arrow-shape": "triangle", "line-color": COLOURS.goal.fill, "source-arrow-color": COLOURS.goal.fill } },
    { selector: "edge.crossing", style: { opacity: 0.4, width: 1, "z-index": 0 } },
    { selector: "edge.derived", style: { "line-style": "dashed" } },
    { selector: "edge.ended", style: { opacity: 0.35, "line-style": "dotted" } },
    { selector: "edge.pending", style: { "line-style": "dashed", "line-color": accent } },
    {
      selector: ":selected",
      style: { "underlay-color": accent, "underlay-opacity": 0.3, "underlay-padding": 7, "line-color": accent },
    },
    { selector: "node:active", style: { "underlay-color": ink, "underlay-opacity": 0.1, "underlay-padding": 6 } },
    // The edges that edgehandles draws while somebody drags. Their node has the class `eh-preview`, too, and keeps its width.
    { selector: "edge.eh-preview, edge.eh-ghost-edge", style: { "line-color": accent, "line-style": "dashed", width: 2.5 } },
    { selector: ".eh-target", style: { "underlay-color": accent, "underlay-opacity": 0.35, "underlay-padding": 8 } },
    { selector: "core", style: { "active-bg-opacity": 0.06, "selection-box-color": paper } },
  ] as cytoscape.StylesheetJson;
}
