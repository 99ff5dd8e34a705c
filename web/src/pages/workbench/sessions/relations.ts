// Related sessions as elements of a picture: earlier ones before this session, later ones after it. Pure.

import type { ElementDefinition } from "cytoscape";
import { shortened } from "../../../shared/kinds";
import { relative } from "../../../shared/times";
import { type Relation, titleOf } from "./words";

const CAPTION = 54;
/** The distance of the most related session, what the least related one has more, and the height of a row. */
const SPACE = { near: 330, further: 160, row: 100 };
/** In a narrow window, earlier sessions stand above and later ones below, two in a row. */
const NARROW = { first: 150, row: 110, beside: 130 };

export function elementsOf(
  here: { id: string; key: string; task: string | null },
  relations: readonly Relation[],
  narrow: boolean,
): ElementDefinition[] {
  const place = narrow ? stacked : beside;
  const sides = [relations.filter((each) => each.isEarlier), relations.filter((each) => !each.isEarlier)];
  return [
    {
      data: { id: here.id, kind: "session", caption: shortened(titleOf(here), CAPTION) },
      position: { x: 0, y: 0 },
      classes: "focal",
    },
    ...sides.flatMap((side) =>
      side.flatMap((each, at): ElementDefinition[] => [
        {
          data: { id: each.session.id, kind: "session", caption: captionOf(each) },
          position: place(each, at, side.length),
        },
        {
          data: {
            id: `${here.id} ${each.session.id}`,
            source: here.id,
            target: each.session.id,
            width: 1 + 6 * each.correlationScore,
            caption: each.correlationScore.toFixed(2),
            from: "outside-to-node",
            to: "outside-to-node",
          },
        },
      ]),
    ),
  ];
}

const captionOf = ({ session }: Relation): string =>
  `${shortened(titleOf(session), CAPTION)}\n${relative(session.endedAt ?? session.createdAt)}`;

function beside(each: Relation, at: number, many: number): { x: number; y: number } {
  const x = SPACE.near + SPACE.further * (1 - each.correlationScore);
  return { x: each.isEarlier ? -x : x, y: SPACE.row * (at - (many - 1) / 2) };
}

function stacked(each: Relation, at: number, many: number): { x: number; y: number } {
  const y = NARROW.first + NARROW.row * Math.floor(at / 2);
  const isAlone = at % 2 === 0 && at === many - 1;
  const x = isAlone ? 0 : at % 2 === 0 ? -NARROW.beside : NARROW.beside;
  return { x, y: each.isEarlier ? -y : y };
}
