// One turn: what is known of it, and its trace as a timeline.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ToggleButton } from "react-aria-components";
import { Link } from "wouter";
import { type RecordNameFragment, TurnDetailsDocument, type TurnDetailsQuery, TurnTraceDocument } from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { ask } from "../../../shared/api";
import { usePages } from "../../../shared/paging";
import { Empty, Failed, Loading } from "../../../shared/States";
import { inFull } from "../../../shared/times";
import { OpenInBrowser } from "../browser/OpenInBrowser";
import { Facts, Time } from "../Facts";
import { Away } from "../record/Away";
import { More } from "../record/More";
import { ReceiptOf, type Receipt } from "./ReceiptOf";
import { Status } from "../record/Status";
import { TimelineEntry } from "./TimelineEntry";
import { lasted, madeInWords, type Part, PARTS, partOf } from "./words";

/** The records that the steps of a turn name, as far as they are read with it. */
const recordsOf = (turn: TurnDetailsQuery["turn"] | undefined): readonly RecordNameFragment[] =>
  turn ? [...turn.made.nodes, ...turn.outcomes.nodes] : [];

export function TurnPage({ id }: { id: string }) {
  const [address, change] = useAddress();
  const hidden = new Set((address.get("hide") ?? "").split(",").filter(Boolean));
  const turn = useQuery({ queryKey: ["turn", id], queryFn: () => ask(TurnDetailsDocument, { id }) });
  const { query: trace, nodes: entries } = usePages({
    queryKey: ["turn-trace", id],
    ask: (after) => ask(TurnTraceDocument, { id, after }),
    list: (answer) => answer.turnTrace,
  });
  const known = useMemo(
    () => new Map<string, RecordNameFragment>(recordsOf(turn.data?.turn).map((node) => [node.id, node])),
    [turn.data],
  );

  if (turn.isPending || trace.isPending) return <Loading what="the turn" />;
  if (turn.isError && !turn.data) return <Failed problem={turn.error} onRetry={() => void turn.refetch()} />;
  if (trace.isError && !trace.data) return <Failed problem={trace.error} onRetry={() => void trace.refetch()} />;
  const found = turn.data.turn;
  if (!found) {
    return (
      <Empty title="There is no such turn">
        <p>
          It belongs to somebody else, or the address is wrong. <Link href="/turns">Choose another turn</Link>.
        </p>
      </Empty>
    );
  }

  const receipts = new Map<string, Receipt>(found.receipts.nodes.map((receipt) => [receipt.id, receipt]));
  const traced = new Set(entries.flatMap((entry) => entry.ids));
  // Trace entries may be deleted before the receipt is.
  const untraced = found.receipts.nodes.filter((receipt) => !traced.has(receipt.id) && !trace.hasNextPage);
  const shown = entries.filter((entry) => !hidden.has(partOf(entry)));
  const toggle = (part: Part) => {
    const next = new Set(hidden);
    if (!next.delete(part)) next.add(part);
    change({ hide: [...next].join(",") });
  };
  return (
    <div className="sheet">
      <Link className="back" href="/turns">
        ← All turns
      </Link>
      <header className="sheet-head">
        <h2>{found.key}</h2>
        <Status status={found.status} />
      </header>
      <p>{madeInWords(found.made)}</p>
      <Facts
        rows={[
          ["Agent", found.createdBy?.name ?? "The service"],
          [
            "Began",
            <>
              {inFull(found.createdAt)} (<Time at={found.createdAt} />)
            </>,
          ],
          ["Took", lasted(found.createdAt, found.endedAt) ?? "It has not ended yet."],
          [
            "Session",
            found.session && (
              <Link href={`/sessions/${found.session.id}`}>{found.session.task ?? found.session.key}</Link>
            ),
          ],
          ["Space", found.space?.name],
        ]}
      />
      <OpenInBrowser id={found.id} />
      {(turn.isError || trace.isError) && <Away />}

      <section aria-labelledby="timeline">
        <div className="list-head">
          <h3 id="timeline">What happened</h3>
          <fieldset className="chips">
            <legend>Show what it</legend>
            {(Object.keys(PARTS) as Part[]).map((part) => (
              <ToggleButton key={part} className="chip" isSelected={!hidden.has(part)} onChange={() => toggle(part)}>
                <span className="part-dot" data-part={part} aria-hidden="true" />
                {PARTS[part].toLowerCase()}
              </ToggleButton>
            ))}
          </fieldset>
        </div>
        {found.receipts.nodes.length === 0 && !hidden.has("saw") && (
          <p className="quiet">No context of this turn is kept, so the list does not say what the agent read.</p>
        )}
        {untraced.map((receipt) => (
          <div key={receipt.id}>
            <h4>
              Context of {inFull(receipt.createdAt)}: {receipt.used} of {receipt.budget} tokens
            </h4>
            <ReceiptOf receipt={receipt} />
          </div>
        ))}
        {entries.length === 0 ? (
          <p>
            {untraced.length > 0
              ? "The other steps of the turn are not kept any more."
              : "Nothing is recorded yet. The steps of the turn appear here by themselves."}
          </p>
        ) : shown.length === 0 ? (
          <p role="status">All steps are hidden. Choose above what to show.</p>
        ) : (
          <ol className="timeline">
            {shown.map((entry) => (
              <TimelineEntry
                key={entry.id}
                entry={entry}
                known={known}
                call={found.invocations.nodes.find((call) => entry.ids.includes(call.id))}
                receipt={entry.ids.map((each) => receipts.get(each)).find(Boolean)}
              />
            ))}
          </ol>
        )}
        <More of={trace} what="steps" />
      </section>
    </div>
  );
}
