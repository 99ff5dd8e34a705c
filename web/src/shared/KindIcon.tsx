// The shape and colour of a kind, as pictures and lists show it.

import { COLOURS } from "./colours";
import { type Kind, LOOKS } from "./kinds";

const SHAPES: Record<(typeof LOOKS)[Kind]["shape"], string> = {
  "round-rectangle": "M3 5.5a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z",
  ellipse: "M10 3a7 7 0 1 1 0 14a7 7 0 0 1 0-14z",
  "round-triangle": "M9.1 3.6a1 1 0 0 1 1.8 0l6.6 12a1 1 0 0 1-.9 1.5H3.4a1 1 0 0 1-.9-1.5z",
  diamond: "M10 2l8 8l-8 8l-8-8z",
  "round-hexagon": "M6 3.5h8l4 6.5l-4 6.5H6L2 10z",
  star: "M10 1.5l2.2 6h6.3l-5.1 3.8l1.9 6.2L10 13.8l-5.3 3.7l1.9-6.2L1.5 7.5h6.3z",
  "round-tag": "M3 4.5h8.5l5.5 5.5l-5.5 5.5H3z",
};

export function KindIcon({ kind }: { kind: Kind }) {
  const { fill, edge } = COLOURS[kind];
  return (
    <svg className="kind-icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={SHAPES[LOOKS[kind].shape]} fill={fill} stroke={edge} />
    </svg>
  );
}
