/** Tell whether the window is so narrow that a panel covers the rest; the style sheets use the same width. */
export const isNarrow = (): boolean => matchMedia("(max-width: 800px)").matches;
