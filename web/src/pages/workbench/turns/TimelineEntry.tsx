// One step of a turn: when, what, and the records that it concerns.

import type { RecordNameFragment } from "../../../generated/operations";
import { counted } from "../../../shared/figures";
import { inFull } from "../../../shared/times";
import { AllFields } from "../record/AllFields";
import { RecordOf } from "../record/RecordLine";
import { type Receipt, ReceiptOf } from "./ReceiptOf";
import { type Entry, type ToolCall, isNotWritten, moreOf, PARTS, partOf, sentenceOf } from "./words";

/** More records than these are shown on demand. */
const FIRST = 5;
const UNTITLED: ReadonlySet<Entry["kind"]> = new Set<Entry["kind"]>([
  "CONTEXT_ASSEMBLED",
  "STATE_PUBLISHED",
  "STORE_COMMITTED",
  "COMMIT_ESCALATED",
]);
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

interface TimelineEntryProps {
  entry: Entry;
  known: ReadonlyMap<string, RecordNameFragment>;
  /** The tool call that the entry is about; none if it is kept no longer. */
  call: ToolCall | undefined;
  /** The receipt of the context that the entry is about. */
  receipt: Receipt | undefined;
}

export function TimelineEntry({ entry, known, call, receipt }: TimelineEntryProps) {
  const part = partOf(entry);
  const more = moreOf(entry);
  // The ids of receipts, exports and pending parts have no titles.
  const ids = UNTITLED.has(entry.kind) ? [] : entry.ids;
  const rest = ids.slice(FIRST);
  return (
    <li className="step" data-part={part} data-warns={isNotWritten(entry) || undefined}>
      <p className="step-head">
        <time dateTime={entry.createdAt} title={inFull(entry.createdAt)}>
          {CLOCK.format(new Date(entry.createdAt))}
        </time>
        <span className="part">{isNotWritten(entry) ? "Not written" : PARTS[part]}</span>
      </p>
      <div className="step-body">
        <h4>{sentenceOf(entry)}</h4>
        {more && <p>{more}</p>}
        {call ? <Call of={call} /> : ids.length > 0 && <Records ids={ids.slice(0, FIRST)} known={known} />}
        {rest.length > 0 && (
          <details>
            <summary>{counted(rest.length, "more record")}</summary>
            <Records ids={rest} known={known} />
          </details>
        )}
        {receipt && <ReceiptOf receipt={receipt} />}
        <AllFields of={receipt ? { ...entry, receipt } : entry} />
      </div>
    </li>
  );
}

/** What came back from a tool, or why nothing did. */
function Call({ of }: { of: ToolCall }) {
  return (
    <>
      {of.error && <p>{of.error}</p>}
      <p className="quiet">
        <code className="call">{of.resultPreview}</code>
        {of.executionTimeReported && ` in ${of.executionTimeMs} ms`}
      </p>
    </>
  );
}

function Records({ ids, known }: { ids: readonly string[]; known: ReadonlyMap<string, RecordNameFragment> }) {
  return (
    <ul className="records">
      {ids.map((id) => (
        <li key={id}>
          <RecordOf id={id} known={known} />
        </li>
      ))}
    </ul>
  );
}
