// Written by scripts/export_graph.py: the colours of kinds, as Neo4j Browser has them.

export const COLOURS = {
  goal: { fill: "#C8553D", edge: "#A44632", text: "#FFFFFF" },
  observation: { fill: "#2F6690", edge: "#275476", text: "#FFFFFF" },
  pending_action: { fill: "#E0A030", edge: "#B88327", text: "#22303C" },
  question: { fill: "#6B8E23", edge: "#58741D", text: "#FFFFFF" },
  story: { fill: "#B4C99A", edge: "#94A57E", text: "#22303C" },
  outcome: { fill: "#C2577E", edge: "#9F4767", text: "#FFFFFF" },
  tool_invocation: { fill: "#7A8794", edge: "#646F79", text: "#FFFFFF" },
  turn: { fill: "#5B4B8A", edge: "#4B3E71", text: "#FFFFFF" },
  session: { fill: "#9B5DA5", edge: "#7F4C87", text: "#FFFFFF" },
  tag: { fill: "#7FB069", edge: "#689056", text: "#22303C" },
  topic: { fill: "#A7C957", edge: "#89A547", text: "#22303C" },
  space: { fill: "#3D8B8B", edge: "#327272", text: "#FFFFFF" },
  mandate: { fill: "#8C2F39", edge: "#73272F", text: "#FFFFFF" },
  version: { fill: "#D7DCE2", edge: "#B0B4B9", text: "#22303C" },
} as const;
