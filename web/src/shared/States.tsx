// What a view shows while it waits, when there is nothing, and when something is wrong.

import type { ReactNode } from "react";
import { Refused } from "./api";
import { messageOf } from "./session";

/** A view, or a part of one, that waits for its answer. */
export function Loading({ what }: { what: string }) {
  return (
    <div className="state" role="status">
      <span className="spinner" aria-hidden="true" />
      Loading {what} …
    </div>
  );
}

/** There is nothing to show, and what brings something. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      <div className="state-help">{children}</div>
    </div>
  );
}

/** Something went wrong: the reason, and another try. */
export function Failed({ problem, onRetry }: { problem: unknown; onRetry: () => void }) {
  const forbidden = problem instanceof Refused && problem.code === "forbidden";
  return (
    <div className="state" role="alert">
      <h2>{forbidden ? "You may not see this" : "This could not be loaded"}</h2>
      <p>{messageOf(problem)}</p>
      {forbidden ? (
        <p className="state-help">Your token has no role that reads it. Sign out, and in again with another token.</p>
      ) : (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
