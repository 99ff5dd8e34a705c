// The state of a view that is part of its address, so that a link or a reload shows the same.

import { useSearchParams } from "wouter";

/** Return a parameter of the address, and what changes parameters; a value that is empty or null goes away. */
export function useAddress(): [URLSearchParams, (changes: Record<string, string | null>) => void] {
  const [given, set] = useSearchParams();
  const change = (changes: Record<string, string | null>) =>
    set(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true },
    );
  return [given, change];
}
