// The sessions that a session is related to: as a picture, and the same as a list.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { SessionRelationsDocument } from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { counted } from "../../../shared/figures";
import { ask } from "../../../shared/api";
import { isNarrow } from "../../../shared/narrow";
import { Picture } from "../../../shared/Picture";
import { Failed, Loading } from "../../../shared/States";
import { Time } from "../Facts";
import { Bars } from "../record/Bars";
import { RecordLine } from "../record/RecordLine";
import { elementsOf } from "./relations";
import { Status } from "../record/Status";
import { type Relation, relationInWords, titleOf } from "./words";

interface RelationsProps {
  session: { id: string; key: string; task: string | null };
}

export function Relations({ session }: RelationsProps) {
  const { id, key, task } = session;
  const [address, change] = useAddress();
  const [, navigate] = useLocation();
  const selected = address.get("with");
  const found = useQuery({
    queryKey: ["session-relations", id],
    queryFn: () => ask(SessionRelationsDocument, { id }),
  });
  const relations = useMemo(() => found.data?.sessionCorrelations ?? [], [found.data]);
  const elements = useMemo(() => elementsOf({ id, key, task }, relations, isNarrow()), [id, key, task, relations]);
  const isThere = relations.length > 0;
  return (
    <section aria-labelledby="related">
      <h3 id="related">Related sessions</h3>
      {found.isPending ? (
        <Loading what="related sessions" />
      ) : found.isError && !found.data ? (
        <Failed problem={found.error} onRetry={() => void found.refetch()} />
      ) : !isThere ? (
        <p className="quiet">
          No other session has enough in common with this one. Sessions within a day of each other are compared by
          themselves.
        </p>
      ) : (
        <>
          <p className="quiet">
            {isNarrow()
              ? "Earlier sessions stand above, later ones below."
              : "Earlier sessions stand on the left, later ones on the right."}{" "}
            The number says how much they have in common, from 0 to 1.
          </p>
          <div className="relations">
            <Picture
              elements={elements}
              selected={selected}
              onSelect={(node) => change({ with: node === id || node?.includes(" ") ? null : node })}
              onOpen={(node) => {
                if (node !== id) navigate(`/sessions/${node}`);
              }}
              subject={id}
              label={`This session and ${counted(relations.length, "related session")}. The list below has the same.`}
            />
          </div>
          <ul className="rows">
            {relations.map((relation) => (
              <li key={relation.session.id} className="related" data-here={relation.session.id === selected}>
                <Related relation={relation} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Related({ relation }: { relation: Relation }) {
  const { session, sharedThemes, sharedEntities, shared, unfinished } = relation;
  const records = shared.flatMap(({ node }) => (node ? [node] : []));
  return (
    <>
      <div className="sheet-head">
        <h4>
          <Link href={`/sessions/${session.id}`}>{titleOf(session)}</Link>
        </h4>
        <Status status={session.status} />
        <span className="quiet">
          {relation.isEarlier ? "earlier" : "later"}, {session.endedAt ? "ended " : "started "}
          <Time at={session.endedAt ?? session.createdAt} />
        </span>
      </div>
      <p>{relationInWords(relation)}</p>
      {sharedEntities.length > 0 && <p>Both are about {sharedEntities.join(", ")}.</p>}
      {sharedThemes.length > 0 && <p>Themes of both: {sharedThemes.join(", ")}.</p>}
      <details>
        <summary>How much they have in common: {relation.correlationScore.toFixed(2)}</summary>
        <Bars
          bars={[
            ["Persons and things", relation.entityOverlap],
            ["Themes", relation.themeSimilarity],
            ["Meaning", relation.contentSimilarity],
            ["Closeness in time", relation.temporalProximity],
          ]}
        />
      </details>
      {records.length > 0 && (
        <details>
          <summary>{counted(records.length, "record")} in common</summary>
          <ul className="records">
            {records.map((node) => (
              <li key={node.id}>
                <RecordLine node={node} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {unfinished.length > 0 && (
        <details>
          <summary>{counted(unfinished.length, "item")} that it left unfinished</summary>
          <ul className="records">
            {unfinished.map((item) => (
              <li key={item.itemId}>{item.memory ? <RecordLine node={item.memory} /> : item.content}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
