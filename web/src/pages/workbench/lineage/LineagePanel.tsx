// Beside the picture: what is known of the chosen node, and all nodes as a list.

import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { Link } from "wouter";
import { LineageNodeDetailsDocument, type LineageNodeDetailsQuery } from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { inPercent } from "../../../shared/figures";
import { KindIcon } from "../../../shared/KindIcon";
import { inWords, isKind, LOOKS } from "../../../shared/kinds";
import { Failed, Loading } from "../../../shared/States";
import { OpenInBrowser } from "../browser/OpenInBrowser";
import { Facts, Time } from "../Facts";
import type { LineageNode } from "./elements";

interface LineagePanelProps {
  focal: string;
  nodes: readonly LineageNode[];
  selected: string | null;
  expanded: readonly string[];
  onSelect: (id: string | null) => void;
  onExpand: (goal: string) => void;
  onOpen: (goal: string) => void;
}

/** The roles in the order of the story: where the goal comes from, what speaks for it, what follows. */
const ROLES: readonly [role: string, title: string][] = [
  ["ancestor", "It is part of"],
  ["self", "This goal"],
  ["derivation", "It was derived from, or led to"],
  ["evidence", "What speaks for it"],
  ["action", "What is to be done"],
  ["question", "What is asked"],
  ["story", "What was answered"],
  ["outcome", "What came of it lately"],
  ["tool_call", "Tools called for it lately"],
  ["descendant", "What is part of it"],
];

export function LineagePanel({ focal, nodes, selected, expanded, onSelect, onExpand, onOpen }: LineagePanelProps) {
  const node = nodes.find((each) => each.id === selected);
  return (
    <aside className="panel" aria-label="Details">
      {node && (
        <section className="details" aria-live="polite">
          <Details key={node.id} id={node.id} />
          {node.kind === "goal" && node.id !== focal && (
            <p className="buttons">
              <button type="button" className="button" onClick={() => onOpen(node.id)}>
                Show its lineage
              </button>
              {!expanded.includes(node.id) && (
                <button type="button" className="button" onClick={() => onExpand(node.id)}>
                  Add what is around it
                </button>
              )}
            </p>
          )}
          {node.kind === "goal" && <OpenInBrowser key={`browser ${node.id}`} id={node.id} />}
          <p className="details-ways">
            {node.kind !== "outcome" && node.kind !== "tool_invocation" && <Link href={`/history/${node.id}`}>History</Link>}
            <button type="button" className="link-button" onClick={() => onSelect(null)}>
              Close
            </button>
          </p>
        </section>
      )}
      <section aria-label="All nodes of the picture">
        {ROLES.map(([role, title]) => {
          const found = nodes.filter((each) => each.role === role);
          return (
            found.length > 0 && (
              <Fragment key={role}>
                <h3>{title}</h3>
                <ul className="nodes">
                  {found.map((each) => (
                    <li key={each.id}>
                      <button type="button" aria-pressed={each.id === selected} onClick={() => onSelect(each.id)}>
                        {isKind(each.kind) && <KindIcon kind={each.kind} />}
                        <span>
                          {each.name}
                          <small>
                            {[isKind(each.kind) ? LOOKS[each.kind].one : each.kind, inWords(each.status).toLowerCase()].join(", ")}
                          </small>
                        </span>
                      </button>
                    </li>
                  ))}
                </ul>
              </Fragment>
            )
          );
        })}
      </section>
    </aside>
  );
}

function Details({ id }: { id: string }) {
  const found = useQuery({ queryKey: ["node", id], queryFn: () => ask(LineageNodeDetailsDocument, { id }) });
  if (found.isPending) return <Loading what="the details" />;
  if (found.isError) return <Failed problem={found.error} onRetry={() => void found.refetch()} />;
  const node = found.data.node;
  if (!node) return <p>It was deleted, or you may not read it.</p>;
  return <Told node={node} />;
}

function Told({ node }: { node: NonNullable<LineageNodeDetailsQuery["node"]> }) {
  switch (node.__typename) {
    case "Goal":
      return (
        <>
          <Head kind="goal" title={node.title} />
          {node.description && <p>{node.description}</p>}
          <Facts
            rows={[
              ["Status", inWords(node.goalStatus) + (node.statusReason ? `: ${node.statusReason}` : "")],
              ["Progress", inPercent(node.progress)],
              ["Priority", inWords(node.priority)],
              ["Constraints", node.constraints.join("; ")],
              ["Created", <Time key="time" at={node.createdAt} />],
              ["By", node.createdBy?.key],
              ["Space", node.space?.name],
            ]}
          />
        </>
      );
    case "Observation":
      return (
        <>
          <Head kind="observation" title={node.content} />
          <Facts
            rows={[
              ["Status", inWords(node.observationStatus)],
              ["Confidence", node.confidence.toFixed(2)],
              ["Tags", node.tags.join(", ")],
              ["Noticed", <Time key="time" at={node.createdAt} />],
              ["Fades", node.expiresAt && <Time key="time" at={node.expiresAt} />],
              ["By", node.createdBy?.key],
            ]}
          />
          {node.goals.edges.length > 0 && (
            <>
              <h4>Speaks for</h4>
              <ul>
                {node.goals.edges.map((edge) => (
                  <li key={edge.node.id}>
                    <Link href={`/lineage/${edge.node.id}`}>{edge.node.title}</Link>, confidence {edge.confidence.toFixed(2)}
                    {edge.note && <>: {edge.note}</>}
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      );
    case "PendingAction":
      return (
        <>
          <Head kind="pending_action" title={node.title} />
          {node.description && <p>{node.description}</p>}
          <Facts
            rows={[
              ["Status", inWords(node.actionStatus)],
              ["Owner", inWords(node.owner)],
              ["Type", node.type],
              ["Due", node.dueAt && <Time key="time" at={node.dueAt} />],
              ["Created", <Time key="time" at={node.createdAt} />],
              ["Goal", node.goal && <Link href={`/lineage/${node.goal.id}`}>{node.goal.title}</Link>],
            ]}
          />
        </>
      );
    case "Question":
      return (
        <>
          <Head kind="question" title={node.text} />
          <Facts
            rows={[
              ["Status", inWords(node.questionStatus)],
              ["Asked", <Time key="time" at={node.createdAt} />],
            ]}
          />
        </>
      );
    case "Story":
      return (
        <>
          <Head kind="story" title="Story" />
          <p>{node.narrative}</p>
          <Facts rows={[["Written", <Time key="time" at={node.createdAt} />]]} />
        </>
      );
    case "Outcome":
      return (
        <>
          <Head kind="outcome" title={node.outcomeResult ?? (node.success ? "Success" : "Failure")} />
          <Facts
            rows={[
              ["Success", node.success ? "Yes" : "No"],
              ["Worked", node.feedback.whatWorked],
              ["To improve", node.feedback.whatCouldImprove],
              ["Satisfaction", node.userSatisfaction],
              ["Recorded", <Time key="time" at={node.createdAt} />],
              ["Turn", node.turn && <Link href={`/turns/${node.turn.id}`}>{node.turn.key}</Link>],
            ]}
          />
        </>
      );
    case "ToolInvocation":
      return (
        <>
          <Head kind="tool_invocation" title={node.tool} />
          <Facts
            rows={[
              ["Status", inWords(node.invocationStatus) + (node.error ? `: ${node.error}` : "")],
              ["Returned", node.resultPreview],
              ["Called", <Time key="time" at={node.calledAt} />],
              ["Turn", node.turn && <Link href={`/turns/${node.turn.id}`}>{node.turn.key}</Link>],
            ]}
          />
        </>
      );
    default:
      return null;
  }
}

function Head({ kind, title }: { kind: keyof typeof LOOKS; title: string }) {
  return (
    <header className="details-head">
      <span className="quiet">
        <KindIcon kind={kind} /> {LOOKS[kind].one}
      </span>
      <h2>{title}</h2>
    </header>
  );
}
