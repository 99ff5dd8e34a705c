// One version of a record: who changed what, when and in which turn.

import { Link } from "wouter";
import { inFull, relative } from "../../../shared/times";
import { RecordLine } from "../record/RecordLine";
import { summaryOf, toldOf, type Version } from "./changes";
import { Changes } from "./Changes";

interface VersionEntryProps {
  version: Version;
  isLatest: boolean;
  isNew: boolean;
  onCompare: () => void;
  /** Null if the record cannot be reverted. */
  onRevert: (() => void) | null;
}

export function VersionEntry({ version, isLatest, isNew, onCompare, onRevert }: VersionEntryProps) {
  const { number, at, by, turnId, note, evidence } = version;
  const told = toldOf(version);
  const title = `version-${number}`;
  return (
    <li className="version" data-latest={isLatest} aria-labelledby={title}>
      <span className="version-number" aria-hidden="true">
        {number}
      </span>
      <div className="version-body">
        <div className="sheet-head">
          <h4 id={title} tabIndex={-1}>
            <span className="unseen">Version {number}: </span>
            {summaryOf(version)}
          </h4>
          {isLatest && <span className="badge badge-good">now</span>}
          {isNew && <span className="badge">new</span>}
        </div>
        <p className="quiet">
          {by?.name ?? "the service"},{" "}
          <time dateTime={at} title={inFull(at)}>
            {inFull(at)} ({relative(at)})
          </time>
          {turnId && (
            <>
              , in turn <Link href={`/turns/${encodeURIComponent(turnId)}`}>{turnId}</Link>
            </>
          )}
        </p>
        {note && <p className="version-note">“{note}”</p>}
        {told.length > 0 && <Changes changes={told} began={number === 1} />}
        {evidence.nodes.length > 0 && (
          <details>
            <summary>Its evidence: {evidence.totalCount}</summary>
            <ul className="records">
              {evidence.nodes.map((observation) => (
                <li key={observation.id}>
                  <RecordLine node={observation} />
                </li>
              ))}
            </ul>
            {evidence.totalCount > evidence.nodes.length && <p className="quiet">The others are not listed.</p>}
          </details>
        )}
        {!isLatest && (
          <p className="buttons">
            <button
              type="button"
              className="button"
              onClick={onCompare}
              aria-label={`Compare with now: version ${number}`}
            >
              Compare with now
            </button>
            {onRevert && (
              <button
                type="button"
                className="button"
                onClick={onRevert}
                aria-label={`Revert to this version: ${number}`}
              >
                Revert to this version
              </button>
            )}
          </p>
        )}
      </div>
    </li>
  );
}
