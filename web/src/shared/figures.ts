// Numbers as people read them, in the language of the browser.

const FIGURES = new Intl.NumberFormat();

/** Return a number as people write it: `1,000`. */
export const inFigures = (number: number): string => FIGURES.format(number);

/** Return a number of things in words: `1 item`, `26 items`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${inFigures(number)} ${number === 1 ? one : many}`;

/** Return a share, 0 to 1, in percent; the number and its sign stay on one line. */
export const inPercent = (share: number): string => `${Math.round(100 * share)}\u00a0%`;
