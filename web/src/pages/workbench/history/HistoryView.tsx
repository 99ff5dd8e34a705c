// The history of any record: first the way to it, by what changed lately, by words or by its id.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import {
  type ChangedLatelyQuery,
  ChangedLatelyDocument,
  type RecordNameFragment,
  RecordsWithDocument,
} from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { ask } from "../../../shared/api";
import { useDebounced } from "../../../shared/debounce";
import { counted } from "../../../shared/figures";
import { usePages } from "../../../shared/paging";
import { Empty, Failed, Loading } from "../../../shared/States";
import { Time } from "../Facts";
import { Away } from "../record/Away";
import { More } from "../record/More";
import { useNewest } from "../record/newest";
import { ChangedRow, FoundRow } from "./RecordRow";
import { RecordHistory } from "./RecordHistory";
import "../record/record.css";
import "./history.css";

export function HistoryView({ id }: { id: string | undefined }) {
  return id ? <RecordHistory key={id} id={id} /> : <Choose />;
}

/** An id, as it is copied from another view or from an answer of the API. */
const ID = /^[a-z]{2,10}_[0-9A-HJKMNP-TV-Z]{26}$/;

function Choose() {
  const [, navigate] = useLocation();
  const [address, change] = useAddress();
  const text = address.get("words") ?? "";
  const wanted = useDebounced(text.trim());
  const type = (typed: string) => {
    if (ID.test(typed.trim())) navigate(`/history/${typed.trim()}`);
    else change({ words: typed });
  };
  return (
    <div className="sheet">
      <h2>History</h2>
      <p className="quiet">
        Every change of a record is a version. Choose a record to see who changed it, when and why, and to take a
        change back.
      </p>
      <form role="search" className="history-search" onSubmit={(event) => event.preventDefault()}>
        <label className="field">
          Words of its title, or its id
          <input type="search" value={text} onChange={(event) => type(event.target.value)} />
        </label>
      </form>
      {text.trim() ? <Found text={wanted} late={wanted !== text.trim()} /> : <Lately />}
    </div>
  );
}

function Found({ text, late }: { text: string; late: boolean }) {
  const found = useQuery({
    queryKey: ["records-with", text],
    queryFn: () => ask(RecordsWithDocument, { text }),
    enabled: text !== "",
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });
  if (found.isError && !found.data) return <Failed problem={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <Loading what="the records" />;
  const { goals, pendingActions, searchMemory } = found.data;
  const memories = searchMemory.edges.flatMap(({ node }) => (node ? [node] : []));
  const nodes = distinct([...goals.nodes, ...pendingActions.nodes, ...memories]);
  const isLate = late || found.isPlaceholderData;
  return (
    <section aria-label="Records with these words" aria-busy={isLate}>
      <p className={nodes.length > 0 ? "unseen" : undefined} role="status">
        {isLate
          ? "Searching …"
          : nodes.length > 0
            ? `${counted(nodes.length, "record")} found.`
            : "No record has these words. Use other words, or paste the id of the record."}
      </p>
      <ul className="rows">
        {nodes.map((node) => (
          <li key={node.id} className="row">
            <FoundRow node={node} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const distinct = (nodes: readonly RecordNameFragment[]): RecordNameFragment[] => [
  ...new Map(nodes.map((node) => [node.id, node])).values(),
];

type Entry = ChangedLatelyQuery["auditLog"]["nodes"][number];

/** What has versions: a session or a grant is in the log, and has none. */
const VERSIONED: ReadonlySet<string> = new Set([
  "Goal",
  "PendingAction",
  "Question",
  "Story",
  "Observation",
  "RememberedMemory",
  "Lesson",
  "RegistryProposal",
  "ActionTypeOverride",
]);

/** Return the last change of each record that has versions. */
function lastOfEach(entries: readonly Entry[]): Entry[] {
  const last = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.node && VERSIONED.has(entry.node.__typename) && !last.has(entry.entityId)) {
      last.set(entry.entityId, entry);
    }
  }
  return [...last.values()];
}

function Lately() {
  const { query: log, nodes: entries } = usePages({
    queryKey: ["changed-lately"],
    ask: (after) => ask(ChangedLatelyDocument, { after }),
    list: (answer) => answer.auditLog,
  });
  const isNew = useNewest(log.isSuccess ? (entries[0]?.at ?? "") : undefined);
  if (log.isPending) return <Loading what="what changed lately" />;
  if (log.isError && !log.data) return <Failed problem={log.error} onRetry={() => void log.refetch()} />;
  const last = lastOfEach(entries);
  if (last.length === 0 && !log.hasNextPage) {
    return (
      <Empty title="Nothing has changed yet">
        <p>When an agent or a person adds or changes something, it appears here by itself.</p>
        <p>
          To add something now, open <a href="/graphiql">GraphiQL</a> and run the examples 2 and 4.
        </p>
      </Empty>
    );
  }
  return (
    <section aria-labelledby="lately">
      <h3 id="lately">Changed lately</h3>
      {log.isError && <Away />}
      <ol className="rows">
        {last.map((entry) => (
          <li key={entry.entityId} className="row">
            <ChangedRow entry={entry} isNew={isNew(entry.at)} when={<Time at={entry.at} />} />
          </li>
        ))}
      </ol>
      <More of={log} what="changes" />
    </section>
  );
}
