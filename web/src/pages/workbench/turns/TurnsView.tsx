// The turns of the agents as a list, and each turn as a timeline: what it saw, decided and wrote.

import { Link } from "wouter";
import { TurnsDocument, type TurnsQuery, type TurnStatus } from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { ask } from "../../../shared/api";
import { usePages } from "../../../shared/paging";
import { Empty, Failed, Loading } from "../../../shared/States";
import { inFull } from "../../../shared/times";
import { Time } from "../Facts";
import { Away } from "../record/Away";
import { More } from "../record/More";
import { Status } from "../record/Status";
import { TurnPage } from "./TurnPage";
import { lasted, madeInWords, stepsInWords } from "./words";
import "../record/record.css";
import "./turns.css";

export function TurnsView({ id }: { id: string | undefined }) {
  return id ? <TurnPage key={id} id={id} /> : <TurnList />;
}

const CHOICES: readonly [value: TurnStatus | "", title: string][] = [
  ["", "All"],
  ["OPEN", "Still open"],
  ["COMPLETE", "Complete"],
  ["ABANDONED", "Abandoned"],
];

function TurnList() {
  const [address, change] = useAddress();
  const status = CHOICES.find(([value]) => value === address.get("status"))?.[0] || null;
  const { query: turns, nodes: found } = usePages({
    queryKey: ["turns", status],
    ask: (after) => ask(TurnsDocument, { status, after }),
    list: (answer) => answer.turns,
  });
  if (turns.isPending) return <Loading what="the turns" />;
  if (turns.isError && !turns.data) return <Failed problem={turns.error} onRetry={() => void turns.refetch()} />;
  if (found.length === 0 && !status) {
    return (
      <Empty title="No agent has taken a turn yet">
        <p>A turn is one round of an agent’s work. It appears here by itself when an agent starts one.</p>
        <p>
          To start one now, open <a href="/graphiql">GraphiQL</a> and run the examples 10 and 11.
        </p>
      </Empty>
    );
  }
  return (
    <div className="sheet">
      <header className="list-head">
        <h2>Turns</h2>
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
      <p className="quiet">A turn is one round of an agent’s work. The newest comes first.</p>
      {turns.isError && <Away />}
      {found.length === 0 ? (
        <p>No turn is {status?.toLowerCase()}. Choose “All” to see the others.</p>
      ) : (
        <ol className="rows" aria-label="Turns">
          {found.map((turn) => (
            <li key={turn.id} className="row">
              <TurnRow turn={turn} />
            </li>
          ))}
        </ol>
      )}
      <More of={turns} what="turns" />
    </div>
  );
}

function TurnRow({ turn }: { turn: TurnsQuery["turns"]["nodes"][number] }) {
  const took = lasted(turn.createdAt, turn.endedAt);
  return (
    <>
      <div className="sheet-head">
        <Link className="row-link" href={`/turns/${turn.id}`}>
          {turn.key}
        </Link>
        <Status status={turn.status} />
        <span className="quiet">
          {turn.createdBy?.name ?? "the service"}, <Time at={turn.createdAt} />
          {took && `, took ${took}`}
        </span>
      </div>
      <p>{madeInWords(turn.made)}</p>
      <p className="quiet">
        {stepsInWords(turn.trace.totalCount, turn.receipts.totalCount)}, began {inFull(turn.createdAt)}
      </p>
    </>
  );
}
