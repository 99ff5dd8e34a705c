// One session: what it is about, what it holds, what left it, and the sessions that it is related to.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import {
  HeldItemsDocument,
  SessionDetailsDocument,
  type SessionDetailsQuery,
  SessionPastDocument,
} from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { usePages } from "../../../shared/paging";
import { counted } from "../../../shared/figures";
import { inWords } from "../../../shared/kinds";
import { Empty, Failed, Loading } from "../../../shared/States";
import { inFull } from "../../../shared/times";
import { Facts, Time } from "../Facts";
import { AllFields } from "../record/AllFields";
import { Away } from "../record/Away";
import { Bars } from "../record/Bars";
import { More } from "../record/More";
import { Coherence } from "./Coherence";
import { HeldItem, PastItem } from "./Items";
import { Relations } from "./Relations";
import { Status } from "../record/Status";
import { heldKey, titleOf } from "./words";

type Session = NonNullable<SessionDetailsQuery["session"]>;

export function SessionPage({ id }: { id: string }) {
  const session = useQuery({ queryKey: ["session", id], queryFn: () => ask(SessionDetailsDocument, { id }) });
  if (session.isPending) return <Loading what="the session" />;
  if (session.isError && !session.data) {
    return <Failed problem={session.error} onRetry={() => void session.refetch()} />;
  }
  const found = session.data.session;
  if (!found) {
    return (
      <Empty title="There is no such session of yours">
        <p>
          It belongs to another person or device, or the address is wrong.{" "}
          <Link href="/sessions">Choose another session</Link>.
        </p>
      </Empty>
    );
  }
  return (
    <div className="sheet">
      <Link className="back" href="/sessions">
        ← All sessions
      </Link>
      <header className="sheet-head">
        <h2>{titleOf(found)}</h2>
        <Status status={found.status} />
      </header>
      {session.isError && <Away />}
      <About session={found} />
      <Coherence id={found.id} version={found.version} />
      <Items session={found} />
      <Relations session={found} />
      <AllFields of={found} />
    </div>
  );
}

function About({ session }: { session: Session }) {
  return (
    <div className="about">
      <Facts
        rows={[
          ["Name", session.key],
          ["Focus", session.focus.join(", ") || "None"],
          ["Themes", session.dominantThemes.join(", ") || (session.endedAt ? null : "None yet")],
          ["Started", <When key="time" at={session.createdAt} />],
          session.endedAt
            ? ["Ended", <When key="time" at={session.endedAt} />]
            : ["Last used", <When key="time" at={session.lastActivity} />],
          ["Type", session.sessionType === "default" ? null : inWords(session.sessionType)],
          ["Person", session.person?.name],
          ["Device", session.device?.name ?? "None"],
          ["Started by", session.createdBy?.name],
          ["Offered to it", counted(session.itemsProcessed, "item")],
          [
            "Turns",
            session.turns.nodes.length > 0 && (
              <>
                {session.turns.nodes.map((turn, at) => (
                  <span key={turn.id}>
                    {at > 0 && ", "}
                    <Link href={`/turns/${turn.id}`}>{turn.key}</Link>
                  </span>
                ))}
                {session.turns.totalCount > session.turns.nodes.length && " and earlier ones"}
              </>
            ),
          ],
        ]}
      />
      {!session.endedAt && <Measures session={session} />}
    </div>
  );
}

/** How full the session is, and how well what it holds fits. */
function Measures({ session }: { session: Session }) {
  const { itemsCount, maxCapacity } = session.capacity;
  const places = ["Places taken", itemsCount / Math.max(1, maxCapacity), `${itemsCount} of ${maxCapacity}`] as const;
  if (itemsCount === 0) return <Bars bars={[places]} />;
  return (
    <Bars
      bars={[
        places,
        ["Matches the focus", session.focusStrength],
        ["Belongs together", session.coherence],
        ["– by themes", session.thematicCoherence],
        ["– by persons and things", session.entityCoherence],
        ["– by time", session.temporalCoherence],
      ]}
    />
  );
}

const When = ({ at }: { at: string }) => (
  <>
    {inFull(at)} (<Time at={at} />)
  </>
);

function Items({ session }: { session: Session }) {
  const { id } = session;
  const { query: past, nodes: history } = usePages({
    queryKey: ["session-past", id],
    ask: (after) => ask(SessionPastDocument, { id, after }),
    list: (answer) => answer.sessionHistory,
  });
  const held = useQuery({
    queryKey: ["session-held", id, heldKey(session.version, history)],
    queryFn: () => ask(HeldItemsDocument, { id }),
    enabled: past.isSuccess && session.status === "ACTIVE",
    placeholderData: keepPreviousData,
    // Each answer counts as an access of the items, which changes what leaves next: it is asked for only if
    // the session holds something else.
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (past.isPending) return <Loading what="what it holds" />;
  if (past.isError && !past.data) return <Failed problem={past.error} onRetry={() => void past.refetch()} />;
  const left = history.filter((item) => item.leftAt);
  const items = held.data?.activeContext?.items ?? [];
  const isRunning = session.status === "ACTIVE";
  return (
    <>
      <section aria-labelledby="held">
        <h3 id="held">What it holds now</h3>
        {!isRunning ? (
          <p className="quiet">The session has ended, so it holds nothing. What it held is listed below.</p>
        ) : held.isPending ? (
          <Loading what="what it holds" />
        ) : held.isError ? (
          <Failed problem={held.error} onRetry={() => void held.refetch()} />
        ) : items.length === 0 ? (
          <p className="quiet">It holds nothing that can be shown. What an agent adds appears here by itself.</p>
        ) : (
          <>
            <p className="quiet">
              The most important comes first. Opening this page counts as one access of each item.
            </p>
            <ol className="rows">
              {items.map((item) => (
                <li key={item.itemId} className="held">
                  <HeldItem item={item} />
                </li>
              ))}
            </ol>
          </>
        )}
      </section>
      <section aria-labelledby="left">
        <h3 id="left">What left it, and why</h3>
        {left.length === 0 ? (
          <p className="quiet">Nothing has left it.</p>
        ) : (
          <ul className="records">
            {left.map((item) => (
              <li key={`${item.itemId} ${item.admissionTime}`}>
                <PastItem item={item} />
              </li>
            ))}
          </ul>
        )}
        <More of={past} what="items" />
      </section>
    </>
  );
}
