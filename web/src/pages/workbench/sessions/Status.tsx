// Whether a session goes on.

import type { SessionStatus } from "../../../generated/operations";

export function Status({ status }: { status: SessionStatus }) {
  return status === "ACTIVE" ? <span className="badge badge-good">Active</span> : <span className="badge">Ended</span>;
}
