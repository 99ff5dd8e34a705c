// The versions of one record, newest first; two of them compared; and the way back to one.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { MyselfDocument, RecordHistoryDocument, RevertDocument } from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { ask, change } from "../../../shared/api";
import { counted } from "../../../shared/figures";
import { KindIcon } from "../../../shared/KindIcon";
import { shortened } from "../../../shared/kinds";
import { usePages } from "../../../shared/paging";
import { Empty, Failed, Loading } from "../../../shared/States";
import { Away } from "../record/Away";
import { More } from "../record/More";
import { useNewest } from "../record/newest";
import { sentence } from "../record/reason";
import { named } from "../record/record";
import { changesBetween, type Version, whyNoRevert } from "./changes";
import { Changes } from "./Changes";
import { RevertDialog } from "./RevertDialog";
import { VersionEntry } from "./VersionEntry";

/** A title is cut here; the first version has all of it. */
const TITLE = 160;

export function RecordHistory({ id }: { id: string }) {
  const { query: history, nodes: versions } = usePages({
    queryKey: ["history", id],
    ask: (after) => ask(RecordHistoryDocument, { id, after }),
    list: (answer) => answer.history,
  });
  const myself = useQuery({
    queryKey: ["myself"],
    queryFn: () => ask(MyselfDocument, {}),
    refetchInterval: 60_000,
  });
  const isNew = useNewest(history.isSuccess ? (versions[0]?.number ?? 0) : undefined);
  /** The version to which somebody wants to return. */
  const [asked, setAsked] = useState<number | null>(null);
  const revert = useRevert(id, () => setAsked(null));
  const [, setAddress] = useAddress();

  if (history.isPending) return <Loading what="the history" />;
  if (history.isError && !history.data) {
    return <Failed problem={history.error} onRetry={() => void history.refetch()} />;
  }
  const first = history.data.pages[0];
  const node = first?.node;
  const latest = versions[0]?.number;
  if (!node || latest === undefined) {
    return (
      <Empty title={node ? "This record has no versions" : "There is no such record"}>
        <p>
          {node
            ? "Goals, actions, questions, stories, observations and memories have versions, and so have proposals."
            : "It was deleted, it belongs to somebody else, or the address is wrong."}{" "}
          <Link href="/history">Choose another record</Link>.
        </p>
      </Empty>
    );
  }
  const { kind, word, title, href } = named(node);
  const mayWrite = myself.data?.me.permissions.includes("write") ?? false;
  const why = whyNoRevert(node.__typename) ?? (myself.data && !mayWrite ? NO_ROLE : null);
  return (
    <div className="sheet">
      <Link className="back" href="/history">
        ← Another record
      </Link>
      <p className="history-kind quiet">
        {kind && <KindIcon kind={kind} />} {word}
      </p>
      <header className="sheet-head">
        <h2>{shortened(title, TITLE)}</h2>
        {href && <Link href={href}>Show it</Link>}
      </header>
      {history.isError && <Away />}
      <Said revert={revert} />
      {latest > 1 && (
        <Compare
          versions={versions}
          latest={latest}
          onMore={history.hasNextPage && !history.isFetchingNextPage ? () => void history.fetchNextPage() : null}
        />
      )}
      <section aria-labelledby="versions">
        <h3 id="versions">
          Versions{" "}
          <span className="quiet">
            {counted(first.history?.totalCount ?? versions.length, "version")}, the newest first
          </span>
        </h3>
        {why && <p className="quiet">{why}</p>}
        <ol className="versions">
          {versions.map((version) => (
            <VersionEntry
              key={version.number}
              version={version}
              isLatest={version.number === latest}
              isNew={isNew(version.number)}
              onCompare={() => setAddress({ from: String(version.number), to: null, compare: "yes" })}
              onRevert={why === null && mayWrite ? () => setAsked(version.number) : null}
            />
          ))}
        </ol>
        <More of={history} what="versions" />
      </section>
      {asked !== null && (
        <RevertDialog
          version={asked}
          latest={latest}
          changes={changesBetween(versions, latest, asked)}
          busy={revert.busy}
          problem={revert.problem}
          onNo={() => {
            setAsked(null);
            revert.forget();
          }}
          onYes={() => void revert.run(asked, latest)}
        />
      )}
    </div>
  );
}

const NO_ROLE = "To revert, you need a token whose role may write. Sign out, and in again with another token.";

interface Reverted {
  text: string;
  warnings: readonly string[];
}

/** The call that reverts, what it said last, and why it was refused. */
function useRevert(id: string, onDone: () => void) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const [said, setSaid] = useState<Reverted | null>(null);
  const run = async (version: number, latest: number) => {
    setBusy(true);
    setProblem(null);
    setSaid(null);
    try {
      const done = await change(RevertDocument, { input: { id, version, expectedVersion: latest } });
      const now = "version" in done ? done.version : latest;
      const warnings = "warnings" in done ? done.warnings.map(({ message }) => sentence(message)) : [];
      await client.invalidateQueries();
      setSaid({
        text:
          now === latest
            ? `Nothing changed: the record has the content of version ${version} already.`
            : `Reverted to version ${version}. This is version ${now}.`,
        warnings,
      });
      onDone();
    } catch (refused) {
      setProblem(refused);
      await client.invalidateQueries();
    }
    setBusy(false);
  };
  return { busy, problem, said, run, forget: () => setProblem(null) };
}

function Said({ revert: { said } }: { revert: ReturnType<typeof useRevert> }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // After the dialog has given the focus back to its button, whose version is another one now.
    if (said) setTimeout(() => place.current?.focus());
  }, [said]);
  return (
    <div className="history-said" role="status" ref={place} tabIndex={-1}>
      {said && (
        <>
          <p>{said.text}</p>
          {said.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </>
      )}
    </div>
  );
}

interface CompareProps {
  versions: readonly Version[];
  latest: number;
  /** Loads older versions; null if there are none, or if they are on their way. */
  onMore: (() => void) | null;
}

/** Two versions of the address, and what is different between them. */
function Compare({ versions, latest, onMore }: CompareProps) {
  const [address, change] = useAddress();
  const isOpen = address.get("compare") === "yes";
  const within = (name: string, otherwise: number) => {
    const number = Number(address.get(name));
    return Number.isInteger(number) && number >= 1 && number <= latest ? number : otherwise;
  };
  const to = within("to", latest);
  const from = within("from", Math.max(1, latest - 1));
  const oldest = versions.at(-1)?.number ?? latest;
  const isThere = oldest <= Math.min(from, to) + 1;
  useEffect(() => {
    if (isOpen && !isThere) onMore?.();
  }, [isOpen, isThere, onMore]);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Whoever chose it further down sees it.
    if (isOpen) title.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen, from]);

  if (!isOpen) {
    return (
      <p>
        <button type="button" className="button" onClick={() => change({ compare: "yes" })}>
          Compare two versions
        </button>
      </p>
    );
  }
  const changes = isThere ? changesBetween(versions, from, to) : [];
  return (
    <section className="compare" aria-labelledby="compare">
      <header className="list-head">
        <h3 id="compare" ref={title} tabIndex={-1}>
          From version {from} to version {to}
        </h3>
        <button
          type="button"
          className="link-button"
          onClick={() => change({ compare: null, from: null, to: null })}
        >
          Close
        </button>
      </header>
      <div className="compare-which">
        {(
          [
            ["From", "from", from],
            ["To", "to", to],
          ] as const
        ).map(([label, name, value]) => (
          <Choice
            key={name}
            label={label}
            value={value}
            versions={versions}
            latest={latest}
            onChoose={(number) => change({ [name]: number })}
          />
        ))}
      </div>
      {!isThere ? (
        <Loading what="the versions in between" />
      ) : changes.length === 0 ? (
        <p>{from === to ? "Choose two different versions." : "Both versions say the same."}</p>
      ) : (
        <Changes changes={changes} />
      )}
    </section>
  );
}

interface ChoiceProps {
  label: string;
  value: number;
  versions: readonly Version[];
  latest: number;
  onChoose: (number: string) => void;
}

function Choice({ label, value, versions, latest, onChoose }: ChoiceProps) {
  const known = new Map(versions.map((version) => [version.number, version]));
  return (
    <label className="field">
      {label}
      <select value={value} onChange={(event) => onChoose(event.target.value)}>
        {Array.from({ length: latest }, (_, at) => latest - at).map((number) => {
          const by = known.get(number)?.by?.name;
          return (
            <option key={number} value={number}>
              {`Version ${number}${number === latest ? ", now" : ""}${by ? `, by ${shortened(by, 30)}` : ""}`}
            </option>
          );
        })}
      </select>
    </label>
  );
}
