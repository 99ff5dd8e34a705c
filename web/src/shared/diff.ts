// What is different between two texts or lists: what stays, what goes, what comes. Pure.

export type Sign = "same" | "gone" | "new";

export interface Piece {
  sign: Sign;
  text: string;
}

/** A table with more cells than these would take too long: then everything goes and everything comes. */
const MOST_CELLS = 2_000_000;

/** Return the pieces of two lists in their order, with as many as possible that stay. */
export function difference(before: readonly string[], after: readonly string[]): Piece[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++;
  }
  return [
    ...signed("same", before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...signed("same", before.slice(before.length - end)),
  ];
}

const signed = (sign: Sign, texts: readonly string[]): Piece[] => texts.map((text) => ({ sign, text }));

/** The longest common subsequence, by a table of the lengths that remain. */
function middle(before: readonly string[], after: readonly string[]): Piece[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > MOST_CELLS) return [...signed("gone", before), ...signed("new", after)];
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pieces: Piece[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      pieces.push({ sign: "same", text: before[row] ?? "" });
      row++;
      column++;
    } else if (row < before.length && (column === after.length || at(row + 1, column) >= at(row, column + 1))) {
      pieces.push({ sign: "gone", text: before[row++] ?? "" });
    } else {
      pieces.push({ sign: "new", text: after[column++] ?? "" });
    }
  }
  return pieces;
}

/** Return the words of a text, each with the space before it, so that together they are the text. */
export const wordsOf = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/** Return pieces of which no two neighbours have the same sign. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const runs: Piece[] = [];
  for (const { sign, text } of pieces) {
    const last = runs.at(-1);
    if (last?.sign === sign) last.text += text;
    else runs.push({ sign, text });
  }
  return runs;
}
