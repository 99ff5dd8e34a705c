// The sessions of working memory as a list, and each one: what it holds, what left it, and what it is related to.

import { Link } from "wouter";
import { SessionsDocument, type SessionsQuery, type SessionStatus } from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { counted } from "../../../shared/figures";
import { ask } from "../../../shared/api";
import { usePages } from "../../../shared/paging";
import { Empty, Failed, Loading } from "../../../shared/States";
import { Time } from "../Facts";
import { Away } from "../record/Away";
import { More } from "../record/More";
import { SessionPage } from "./SessionPage";
import { Status } from "../record/Status";
import { titleOf } from "./words";
import "../record/record.css";
import "./sessions.css";

export function SessionsView({ id }: { id: string | undefined }) {
  return id ? <SessionPage key={id} id={id} /> : <SessionList />;
}

const CHOICES: readonly [value: SessionStatus | "", title: string][] = [
  ["", "All"],
  ["ACTIVE", "Active"],
  ["ENDED", "Ended"],
];

function SessionList() {
  const [address, change] = useAddress();
  const status = CHOICES.find(([value]) => value === address.get("status"))?.[0] || null;
  const { query: sessions, nodes: found } = usePages({
    queryKey: ["sessions", status],
    ask: (after) => ask(SessionsDocument, { status, after }),
    list: (answer) => answer.sessions,
  });
  if (sessions.isPending) return <Loading what="your sessions" />;
  if (sessions.isError && !sessions.data) {
    return <Failed problem={sessions.error} onRetry={() => void sessions.refetch()} />;
  }
  if (found.length === 0 && !status) {
    return (
      <Empty title="You have no sessions yet">
        <p>A session holds the few things that you and your agent attend to now. It appears here when one starts.</p>
        <p>
          To start one now, open <a href="/graphiql">GraphiQL</a> and run the example 19. Sessions of another device
          are seen only on that device.
        </p>
      </Empty>
    );
  }
  return (
    <div className="sheet">
      <header className="list-head">
        <h2>Sessions</h2>
        <label className="field">
          Show
          <select value={status ?? ""} onChange={(event) => change({ status: event.target.value })}>
            {CHOICES.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </header>
      <p className="quiet">A session holds the few things that are attended to. These are yours on this device.</p>
      {sessions.isError && <Away />}
      {found.length === 0 ? (
        <p>No session {status === "ACTIVE" ? "is active" : "has ended"}. Choose “All” to see the others.</p>
      ) : (
        <ol className="rows" aria-label="Sessions">
          {found.map((session) => (
            <li key={session.id} className="row">
              <SessionRow session={session} />
            </li>
          ))}
        </ol>
      )}
      <More of={sessions} what="sessions" />
    </div>
  );
}

function SessionRow({ session }: { session: SessionsQuery["sessions"]["nodes"][number] }) {
  const { itemsCount, maxCapacity } = session.capacity;
  return (
    <>
      <div className="sheet-head">
        <Link className="row-link" href={`/sessions/${session.id}`}>
          {titleOf(session)}
        </Link>
        <Status status={session.status} />
        <span className="quiet">
          started <Time at={session.createdAt} />
          {session.endedAt ? (
            <>
              , ended <Time at={session.endedAt} />
            </>
          ) : (
            <>
              , last used <Time at={session.lastActivity} />
            </>
          )}
        </span>
      </div>
      <p>
        {session.status === "ACTIVE"
          ? `It holds ${itemsCount} of at most ${counted(maxCapacity, "item")}.`
          : `It was offered ${counted(session.itemsProcessed, "item")}.`}
        {session.dominantThemes.length > 0 && ` Themes: ${session.dominantThemes.join(", ")}.`}
      </p>
      <p className="quiet">
        {[
          session.task && session.key !== session.task ? session.key : null,
          session.device ? `device ${session.device.name}` : "no device",
          session.createdBy && `started by ${session.createdBy.name}`,
        ]
          .filter(Boolean)
          .join(", ")}
      </p>
    </>
  );
}
