// Whether a turn or a session goes on.

import type { SessionStatus, TurnStatus } from "../../../generated/operations";
import { inWords } from "../../../shared/kinds";

export function Status({ status }: { status: SessionStatus | TurnStatus }) {
  return <span className={status === "OPEN" || status === "ACTIVE" ? "badge badge-good" : "badge"}>{inWords(status)}</span>;
}
