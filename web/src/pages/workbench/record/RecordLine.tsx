// A record in a list: its icon, its title as a link to where it is shown, and what kind of thing it is.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { type RecordNameFragment, RecordNamedDocument } from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { KindIcon } from "../../../shared/KindIcon";
import { shortened } from "../../../shared/kinds";
import { named } from "./record";
import "./record.css";

/** A title is cut here; the link leads to the whole. */
const TITLE = 220;

export function RecordLine({ node, children }: { node: RecordNameFragment; children?: ReactNode }) {
  const { kind, word, title, href } = named(node);
  const text = shortened(title, TITLE);
  return (
    <div className="record">
      {kind ? <KindIcon kind={kind} /> : <span className="kind-icon record-other" aria-hidden="true" />}
      <div>
        {href ? <Link href={href}>{text}</Link> : text}
        <small>
          {word}
          {children}
        </small>
      </div>
    </div>
  );
}

/** A record of which only the id is known: its title is asked for once, unless it is among those that are known. */
export function RecordOf({ id, known }: { id: string; known?: ReadonlyMap<string, RecordNameFragment> }) {
  const there = known?.get(id);
  const found = useQuery({
    queryKey: ["record", id],
    queryFn: () => ask(RecordNamedDocument, { id }),
    enabled: !there,
    // Titles change rarely, and there may be many of them.
    refetchInterval: false,
    staleTime: 60_000,
  });
  const node = there ?? found.data?.node;
  if (node) return <RecordLine node={node} />;
  if (found.isPending) return <p className="record quiet">Loading …</p>;
  return <p className="record quiet">{found.isError ? "Its title could not be loaded." : GONE}</p>;
}

/** What stands for a record that is not there. */
export const GONE = "A record that was deleted, or that you may not read.";
