// Whether a turn goes on.

import type { TurnStatus } from "../../../generated/operations";

export function Status({ status }: { status: TurnStatus }) {
  return status === "OPEN" ? <span className="badge badge-good">Open</span> : <span className="badge">Ended</span>;
}
