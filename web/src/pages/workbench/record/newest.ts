// What is new since a list was opened, so that it can have a quiet mark.

import { useRef } from "react";

/** Return a test for what is newer than the newest when the list was opened; undefined stands for a list that loads. */
export function useNewest<Value extends string | number>(newest: Value | undefined): (value: Value) => boolean {
  const first = useRef<Value>(undefined);
  if (first.current === undefined) first.current = newest;
  return (value) => first.current !== undefined && value > first.current;
}
