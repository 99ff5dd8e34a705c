// The shape of a status, as the state diagram has it: round at the start, cut corners at an end.

import type { Role } from "./type";

const SHAPES: Readonly<Record<Role, string>> = {
  initial: "M7 3h6a7 7 0 0 1 0 14H7A7 7 0 0 1 7 3z",
  between: "M3 4h14v12H3z",
  final: "M6 3h8l4 4v6l-4 4H6l-4-4V7z",
};

export function StatusShape({ role }: { role: Role }) {
  return (
    <svg className="status-shape" data-role={role} viewBox="0 0 20 20" aria-hidden="true">
      <path d={SHAPES[role]} />
    </svg>
  );
}
