// What the server refused: each reason in words, with its code and field for those who look them up.

import { Refused } from "../../../shared/api";
import { messageOf } from "../../../shared/session";
import { sentence } from "./reason";

/** What somebody has to do next when a code does not say it. */
const NEXT: Readonly<Record<string, string>> = {
  version_conflict: "Look at it again, then try again.",
  too_large: "Shorten it, then try again.",
  forbidden: "Sign out, and in again with a token that has the role.",
};

export function Refusal({ what, problem }: { what: string; problem: unknown }) {
  const { reasons = [], code = null, field = null } = problem instanceof Refused ? problem : {};
  const all = reasons.length > 0 ? reasons : [{ message: messageOf(problem), code, field }];
  return (
    <div className="refusal" role="alert">
      <strong>{what}</strong>
      {all.map((reason) => (
        <p key={`${reason.field} ${reason.message}`}>
          {sentence(reason.message)} {reason.code && NEXT[reason.code]}
          {reason.code && <small>{[reason.code, reason.field].filter(Boolean).join(", field ")}</small>}
        </p>
      ))}
    </div>
  );
}
