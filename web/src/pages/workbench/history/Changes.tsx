// Changed fields with their values before and after, as a person reads them.

import { type ReactNode, useState } from "react";
import { difference, joined, type Sign, wordsOf } from "../../../shared/diff";
import { shortened } from "../../../shared/kinds";
import { inFull } from "../../../shared/times";
import { RecordOf } from "../record/RecordLine";
import { type Change, fieldInWords, shownAs } from "./changes";

/** A text is cut here until somebody asks for the rest. */
const TEXT = 420;
/** Values in values are shown so deep; below stands what the API says. */
const DEPTH = 2;

/** `began` is for a first version: it has no values before. */
export function Changes({ changes, began = false }: { changes: readonly Change[]; began?: boolean }) {
  return (
    <dl className="comparison changes">
      {changes.map((change) => (
        <div key={change.name}>
          <dt>{fieldInWords(change.name)}</dt>
          <dd>
            {began ? <Value name={change.name} value={change.after} /> : <BeforeAndAfter change={change} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function BeforeAndAfter({ change: { name, before, after } }: { change: Change }) {
  if (before === null && after === null) return <span className="quiet">Its values cannot be shown to you.</span>;
  if (isText(name, before) && isText(name, after)) return <TextChange before={before} after={after} />;
  if (Array.isArray(before) && Array.isArray(after)) return <ListChange name={name} before={before} after={after} />;
  return (
    <>
      <Row sign="gone">
        <Value name={name} value={before} />
      </Row>
      <Row sign="new">
        <Value name={name} value={after} />
      </Row>
    </>
  );
}

const isText = (name: string, value: unknown): value is string =>
  typeof value === "string" && shownAs(name, value).as === "text" && /\s/.test(value.trim());

/** What went or came, by sign, by word for those who listen, and by colour. */
function Row({ sign, children }: { sign: Sign; children: ReactNode }) {
  return (
    <div className="comparison-row changes-row" data-sign={sign}>
      <span aria-hidden="true">{sign === "gone" ? "−" : "+"}</span>
      <div>
        <span className="unseen">{sign === "gone" ? "Before: " : "After: "}</span>
        {children}
      </div>
    </div>
  );
}

/** Two texts, one below the other, with the words that differ. */
function TextChange({ before, after }: { before: string; after: string }) {
  const [isWhole, setWhole] = useState(false);
  const pieces = joined(difference(wordsOf(before), wordsOf(after)));
  const isLong = before.length > TEXT || after.length > TEXT;
  const rows = (["gone", "new"] as const).map((sign) => (
    <Row key={sign} sign={sign}>
      <p className="changes-text">
        {pieces.map((piece, at) => {
          if (piece.sign !== "same" && piece.sign !== sign) return null;
          const text = isLong && !isWhole && piece.sign === "same" ? folded(piece.text, at, pieces.length) : piece.text;
          const key = `${at} ${piece.sign}`;
          if (piece.sign === "same") return <span key={key}>{text}</span>;
          const words = text.trimStart();
          return (
            <span key={key}>
              {text.slice(0, text.length - words.length)}
              {sign === "gone" ? <del>{words}</del> : <ins>{words}</ins>}
            </span>
          );
        })}
      </p>
    </Row>
  ));
  return (
    <>
      {rows}
      {isLong && <Fold isWhole={isWhole} onChange={setWhole} />}
    </>
  );
}

/** What stands around a change is enough to find its place. */
const AROUND = 80;

function folded(text: string, at: number, number: number): string {
  const start = at === 0 ? 0 : AROUND;
  const end = at === number - 1 ? 0 : AROUND;
  return text.length <= start + end + 20 ? text : `${text.slice(0, start)} … ${end > 0 ? text.slice(-end) : ""}`;
}

function Fold({ isWhole, onChange }: { isWhole: boolean; onChange: (whole: boolean) => void }) {
  return (
    <button type="button" className="link-button" aria-expanded={isWhole} onClick={() => onChange(!isWhole)}>
      {isWhole ? "Show less of the text" : "Show the whole text"}
    </button>
  );
}

/** What went from a list and what came to it. */
function ListChange({ name, before, after }: { name: string; before: unknown[]; after: unknown[] }) {
  const keyOf = (value: unknown) => JSON.stringify(value);
  const pieces = difference(before.map(keyOf), after.map(keyOf)).filter((piece) => piece.sign !== "same");
  if (pieces.length === 0) return <span className="quiet">Only the order changed.</span>;
  return pieces.map((piece, at) => (
    <Row key={`${at} ${piece.text}`} sign={piece.sign}>
      <Value name={name} value={JSON.parse(piece.text)} />
    </Row>
  ));
}

interface ValueProps {
  name: string;
  value: unknown;
  depth?: number;
}

function Value({ name, value, depth = 0 }: ValueProps) {
  const shown = shownAs(name, value);
  switch (shown.as) {
    case "nothing":
      return <span className="quiet">nothing</span>;
    case "text":
      return <Text text={shown.text} />;
    case "time":
      return <time dateTime={shown.at}>{inFull(shown.at)}</time>;
    case "record":
      return <RecordOf id={shown.id} />;
    case "list":
      if (depth >= DEPTH) return <Text text={JSON.stringify(value)} />;
      return (
        <ul className="changes-list">
          {shown.values.map((each, at) => (
            <li key={`${at} ${JSON.stringify(each)}`}>
              <Value name={name} value={each} depth={depth + 1} />
            </li>
          ))}
        </ul>
      );
    case "fields":
      if (depth >= DEPTH) return <Text text={JSON.stringify(value)} />;
      return (
        <ul className="changes-list">
          {shown.fields.map(([field, each]) => (
            <li key={field}>
              <span className="quiet">{fieldInWords(field)}:</span>{" "}
              <Value name={field} value={each} depth={depth + 1} />
            </li>
          ))}
        </ul>
      );
  }
}

function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= TEXT) return <span className="changes-text">{text}</span>;
  return (
    <>
      <span className="changes-text">{isWhole ? text : shortened(text, TEXT)}</span>{" "}
      <Fold isWhole={isWhole} onChange={setWhole} />
    </>
  );
}
