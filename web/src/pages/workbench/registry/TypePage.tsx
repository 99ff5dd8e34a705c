// One action type: its state diagram, what it asks for, where it comes from, and the proposals to change it.

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { ProposalsDocument, TypeDetailsDocument } from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { usePages } from "../../../shared/paging";
import { Empty, Failed, Loading } from "../../../shared/States";
import { Facts } from "../Facts";
import { AllFields } from "../record/AllFields";
import { Away } from "../record/Away";
import { More } from "../record/More";
import { Diagram, Transitions } from "./Diagram";
import { ProposalStatus } from "./ProposalRow";
import { titleOf } from "./proposal";
import { originOf } from "./RegistryView";
import { TypeDiff } from "./TypeDiff";
import { type Definition, marksOf, ownersInWords, rulesOf } from "./type";

export function TypePage({ id }: { id: string }) {
  const details = useQuery({ queryKey: ["registry-type", id], queryFn: () => ask(TypeDetailsDocument, { id }) });
  if (details.isPending) return <Loading what="the action type" />;
  if (details.isError && !details.data) {
    return <Failed problem={details.error} onRetry={() => void details.refetch()} />;
  }
  const inForce = details.data.actionTypes[0];
  const override = details.data.actionTypeOverrides.nodes.find((each) => each.typeId === id);
  const draft = override?.draft ?? null;
  const type = inForce ?? draft;
  if (!type) {
    return (
      <Empty title="There is no such action type">
        <p>
          The address is wrong, or the type is only proposed. <Link href="/registry">Choose another type</Link>.
        </p>
      </Empty>
    );
  }
  return (
    <div className="split">
      <section className="stage" aria-label="State diagram">
        <div className="toolbar type-bar">
          <Link href="/registry">← Registry</Link>
          <h2>{type.displayName}</h2>
          <code className="quiet">{type.id}</code>
          {!inForce && <span className="badge">Draft, not in force</span>}
          {inForce &&
            marksOf(inForce).map(({ text, wrong }) => (
              <span key={text} className={wrong ? "badge badge-wrong" : "badge"}>
                {text}
              </span>
            ))}
        </div>
        {details.isError && <Away />}
        <Diagram type={type} />
      </section>
      <aside className="panel" aria-label="Details">
        <section className="details">
          {type.description && <p>{type.description}</p>}
          <Facts
            rows={[
              ["Owners", ownersInWords(type)],
              ["Where from", inForce && originOf(inForce)],
              ["New actions", newActions(type)],
              ["Note", type.note],
            ]}
          />
          {override && inForce && (
            <p>
              <Link href={`/history/${override.id}`}>History of your organisation’s definition</Link>
            </p>
          )}
        </section>
        <section aria-labelledby="rules">
          <h3 id="rules">What it asks for</h3>
          <ul className="sentences">
            {rulesOf(type).map((rule) => (
              <li key={rule}>{rule}</li>
            ))}
          </ul>
        </section>
        <section aria-labelledby="transitions">
          <h3 id="transitions">What may follow</h3>
          <Transitions type={type} />
        </section>
        {inForce?.overrides && (
          <section aria-labelledby="override">
            <h3 id="override">What your organisation changed in the file’s definition</h3>
            <TypeDiff before={inForce.overrides} after={inForce} />
          </section>
        )}
        {draft && inForce && (
          <section aria-labelledby="draft">
            <h3 id="draft">What its draft would change</h3>
            <TypeDiff before={inForce} after={draft} />
          </section>
        )}
        <ProposalsOf id={id} />
        <AllFields of={type} />
      </aside>
    </div>
  );
}

/** What becomes of a new action that asks for the type; null if it simply gets it. */
function newActions(type: Definition) {
  if (type.retired) return "They are refused: the type’s file is gone.";
  if (type.rolloutFlag && !type.usable) return `They wait for the rollout flag ${type.rolloutFlag}.`;
  if (type.deprecationStatus !== "DEPRECATED") return null;
  const successor = type.replacedBy && <Link href={`/registry/${type.replacedBy.id}`}>{type.replacedBy.id}</Link>;
  if (type.blockNew) return <>They are refused.{successor && <> Use {successor} instead.</>}</>;
  return successor ? <>They get the type {successor}.</> : "They still get it, with a warning.";
}

function ProposalsOf({ id }: { id: string }) {
  const { query: proposals, nodes } = usePages({
    queryKey: ["proposals-of", id],
    ask: (after) => ask(ProposalsDocument, { typeId: id, after }),
    list: (answer) => answer.registryProposals,
  });
  return (
    <section aria-labelledby="proposals-of">
      <h3 id="proposals-of">Proposals to change it</h3>
      {proposals.isPending ? (
        <Loading what="the proposals" />
      ) : proposals.isError && !proposals.data ? (
        <Failed problem={proposals.error} onRetry={() => void proposals.refetch()} />
      ) : nodes.length === 0 ? (
        <p className="quiet">Nobody has proposed a change.</p>
      ) : (
        <ul className="links">
          {nodes.map((proposal) => (
            <li key={proposal.id}>
              <Link href={`/registry/${proposal.id}`}>{titleOf(proposal)}</Link> <ProposalStatus proposal={proposal} />
            </li>
          ))}
        </ul>
      )}
      <More of={proposals} what="proposals" />
    </section>
  );
}
