// What is new since a list was opened, so that it can have a quiet mark.

import { useRef } from "react";

/** Return a test for what came after the newest thing that the list had when it was opened; undefined while it loads. */
export function useNewest<Value extends string | number>(newest: Value | undefined): (value: Value) => boolean {
  const first = useRef<Value>(undefined);
  if (first.current === undefined) first.current = newest;
  return (value) => first.current !== undefined && value > first.current;
}
