// A value that follows another one after a pause, so that not each letter asks the server.

import { useEffect, useState } from "react";

const PAUSE_MS = 400;

/** Return the value as it was when it last stood still. */
export function useDebounced<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
