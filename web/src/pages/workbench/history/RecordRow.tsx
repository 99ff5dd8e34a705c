// A record in a list that leads to its history.

import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ChangedLatelyQuery, RecordNameFragment } from "../../../generated/operations";
import { KindIcon } from "../../../shared/KindIcon";
import { shortened } from "../../../shared/kinds";
import { named } from "../record/record";
import { namesOf } from "./changes";

const TITLE = 160;

export function FoundRow({ node, children }: { node: RecordNameFragment; children?: ReactNode }) {
  const { kind, word, title } = named(node);
  return (
    <div className="record">
      {kind ? <KindIcon kind={kind} /> : <span className="kind-icon record-other" aria-hidden="true" />}
      <div>
        <Link className="row-link" href={`/history/${node.id}`}>
          {shortened(title, TITLE)}
        </Link>
        <small>
          {word}
          {children}
        </small>
      </div>
    </div>
  );
}

interface ChangedRowProps {
  entry: ChangedLatelyQuery["auditLog"]["nodes"][number];
  isNew: boolean;
  when: ReactNode;
}

export function ChangedRow({ entry, isNew, when }: ChangedRowProps) {
  if (!entry.node) return null;
  const what = entry.version === 1 ? "created" : `changed ${namesOf(entry.fields)}`;
  return (
    <FoundRow node={entry.node}>
      , version {entry.version}: {what} by {entry.by?.name ?? "the service"}, {when}{" "}
      {isNew && <span className="badge">new</span>}
    </FoundRow>
  );
}
