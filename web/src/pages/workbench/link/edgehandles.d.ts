declare module "cytoscape-edgehandles" {
  import type { Core, EdgeSingular, Ext, NodeSingular } from "cytoscape";

  export interface EdgeHandles {
    enableDrawMode(): void;
    destroy(): void;
  }
  export interface Options {
    canConnect?: (source: NodeSingular, target: NodeSingular) => boolean;
    edgeParams?: (source: NodeSingular, target: NodeSingular) => object;
    hoverDelay?: number;
    snap?: boolean;
    snapThreshold?: number;
    snapFrequency?: number;
    noEdgeEventsInDraw?: boolean;
    disableBrowserGestures?: boolean;
  }
  export type Complete = (event: unknown, source: NodeSingular, target: NodeSingular, edge: EdgeSingular) => void;
  const register: Ext;
  export default register;
  global {
    interface EdgeHandlesCore extends Core {
      edgehandles(options: Options): EdgeHandles;
    }
  }
}
