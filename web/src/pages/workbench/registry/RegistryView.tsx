// The registry: the action types, and the proposals to change them.

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import {
  ProposalsDocument,
  RegistryDocument,
  type RegistryProposalStatus,
  type RegistryQuery,
} from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { ask } from "../../../shared/api";
import { counted } from "../../../shared/figures";
import { usePages } from "../../../shared/paging";
import { Empty, Failed, Loading } from "../../../shared/States";
import { inFull } from "../../../shared/times";
import { Away } from "../record/Away";
import { More } from "../record/More";
import { useNewest } from "../record/newest";
import { ProposalPage } from "./ProposalPage";
import { ProposalRow } from "./ProposalRow";
import { StatusShape } from "./StatusShape";
import { TypePage } from "./TypePage";
import { type Definition, marksOf, ownersInWords, roleOf, statusInWords } from "./type";
import "../record/record.css";
import "./registry.css";

/** The ids of proposals have capitals, those of types have none. */
const PROPOSAL = /^prop_[0-9A-Z]{26}$/;

export function RegistryView({ id }: { id: string | undefined }) {
  if (!id) return <Overview />;
  return PROPOSAL.test(id) ? <ProposalPage key={id} id={id} /> : <TypePage key={id} id={id} />;
}

const CHOICES: readonly [value: RegistryProposalStatus | "" | "ALL", title: string][] = [
  ["", "What goes on"],
  ["ALL", "All"],
  ["OPEN", "Open"],
  ["APPROVED", "Approved"],
  ["REJECTED", "Rejected"],
  ["MERGED", "Merged"],
  ["WITHDRAWN", "Withdrawn"],
];

/** Return the statuses that are asked for; null for all. */
function statusesOf(chosen: (typeof CHOICES)[number][0]): RegistryProposalStatus[] | null {
  if (chosen === "ALL") return null;
  return chosen ? [chosen] : ["OPEN", "APPROVED"];
}

function Overview() {
  const registry = useQuery({ queryKey: ["registry"], queryFn: () => ask(RegistryDocument, {}) });
  if (registry.isPending) return <Loading what="the registry" />;
  if (registry.isError && !registry.data) {
    return <Failed problem={registry.error} onRetry={() => void registry.refetch()} />;
  }
  return (
    <div className="sheet">
      <h2>Registry</h2>
      <p className="quiet">
        An action type says who may own an action, which statuses it goes through, and what it needs on the way. A
        change begins as a proposal that a maintainer reviews.
      </p>
      {registry.isError && <Away />}
      <Proposals />
      <Types registry={registry.data} />
    </div>
  );
}

function Proposals() {
  const [address, change] = useAddress();
  const [chosen, title] = CHOICES.find(([value]) => value === (address.get("status") ?? "")) ?? ["", ""];
  const { query: proposals, nodes } = usePages({
    queryKey: ["proposals", chosen],
    ask: (after) => ask(ProposalsDocument, { status: statusesOf(chosen), after }),
    list: (answer) => answer.registryProposals,
  });
  const isNew = useNewest(proposals.isSuccess ? (nodes[0]?.createdAt ?? "") : undefined);
  if (proposals.isPending) return <Loading what="the proposals" />;
  if (proposals.isError && !proposals.data) {
    return <Failed problem={proposals.error} onRetry={() => void proposals.refetch()} />;
  }
  return (
    <section aria-labelledby="proposals">
      <header className="list-head">
        <h3 id="proposals">Proposals</h3>
        <label className="field">
          Show
          <select value={chosen} onChange={(event) => change({ status: event.target.value })}>
            {CHOICES.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </header>
      {proposals.isError && <Away />}
      {nodes.length > 0 ? (
        <ol className="rows" aria-label="Proposals">
          {nodes.map((proposal) => (
            <li key={proposal.id} className="row">
              <ProposalRow proposal={proposal} isNew={isNew(proposal.createdAt)} />
            </li>
          ))}
        </ol>
      ) : chosen && chosen !== "ALL" ? (
        <p>No proposal is {title.toLowerCase()}. Choose “All” to see the others.</p>
      ) : (
        <Empty title={chosen ? "Nothing was ever proposed" : "No proposal waits"}>
          <p>
            When an agent uses an action type that nobody knows, the service proposes it, and the proposal appears
            here by itself.{!chosen && " Choose “All” to see what was decided."}
          </p>
          <p>
            To propose a type yourself, open <a href="/graphiql">GraphiQL</a> and run the example 14.
          </p>
        </Empty>
      )}
      <More of={proposals} what="proposals" />
    </section>
  );
}

interface Entry {
  type: Definition;
  /** Whether the type is a draft, and no type of this name is in force. */
  isDraft: boolean;
  hasDraft: boolean;
}

/** Return the types in force, and those of which there is only a draft. */
function entriesOf({ actionTypes, actionTypeOverrides }: RegistryQuery): Entry[] {
  const drafts = actionTypeOverrides.nodes.flatMap(({ draft }) => (draft ? [draft] : []));
  const known = new Set(actionTypes.map((type) => type.id));
  const drafted = new Set(drafts.map((draft) => draft.id));
  return [
    ...actionTypes.map((type) => ({ type, isDraft: false, hasDraft: drafted.has(type.id) })),
    ...drafts.flatMap((type) => (known.has(type.id) ? [] : [{ type, isDraft: true, hasDraft: true }])),
  ];
}

function Types({ registry }: { registry: RegistryQuery }) {
  const entries = entriesOf(registry);
  return (
    <section aria-labelledby="types">
      <h3 id="types">
        Action types <span className="quiet">{counted(entries.length, "type")}</span>
      </h3>
      <ul className="types">
        {entries.map((entry) => (
          <li key={entry.type.id} className="row">
            <TypeCard entry={entry} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function TypeCard({ entry: { type, isDraft, hasDraft } }: { entry: Entry }) {
  return (
    <>
      <div className="sheet-head">
        <Link className="row-link" href={`/registry/${type.id}`}>
          {type.displayName}
        </Link>
        {isDraft && <span className="badge">Draft, not in force</span>}
        {hasDraft && !isDraft && <span className="badge">Has a draft</span>}
        {!isDraft &&
          marksOf(type).map(({ text, wrong }) => (
            <span key={text} className={wrong ? "badge badge-wrong" : "badge"}>
              {text}
            </span>
          ))}
      </div>
      <p>{type.description}</p>
      <ul className="statuses" aria-label="Statuses">
        {type.allowedStatuses.map((status) => (
          <li key={status}>
            <StatusShape role={roleOf(type, status)} />
            {statusInWords(status)}
          </li>
        ))}
      </ul>
      <p className="quiet">
        {ownersInWords(type)}. {isDraft ? "Not in force" : originOf(type)}.
      </p>
    </>
  );
}

/** Return where a type comes from, and since when it is there. */
export function originOf(type: Definition): string {
  const from = type.source === "FILE" ? "From a file" : "Defined by your organisation";
  const version = type.version === null ? "" : `, version ${type.version}`;
  return `${from}${version}, ${type.since ? `since ${inFull(type.since)}` : "there from the beginning"}`;
}
