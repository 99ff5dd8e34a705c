// Whether a turn or a session goes on.

import type { SessionStatus, TurnStatus } from "../../../generated/operations";
import { inWords } from "../../../shared/kinds";

export function Status({ status }: { status: SessionStatus | TurnStatus }) {
  return <span className={status === "ENDED" ? "badge" : "badge badge-good"}>{inWords(status)}</span>;
}
