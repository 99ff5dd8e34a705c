// An item of the receipt: its place, its score and what it is made of, the reason, and what led to it.

import type { ReactNode } from "react";
import { Link } from "wouter";
import { counted } from "../../../shared/figures";
import { shortened } from "../../../shared/kinds";
import { ScoreBar } from "../../../shared/ScoreBar";
import { type Excluded, type Item, type Names, PARTS, pathOf } from "./reading";

interface ReceiptItemProps {
  item: Item | Excluded;
  /** What it says. */
  said: string;
  names: Names;
  /** What kind of item it is. */
  kind: ReactNode;
  /** Its place in the context; null for what is not in it. */
  rank: number | null;
  /** Why it is there, where the list does not say so. */
  reason?: string;
}

export function ReceiptItem({ item, said, names, kind, rank, reason }: ReceiptItemProps) {
  const text = shortened(said, 120);
  const against = "contradicts" in item ? item.contradicts.length : 0;
  const node = item.node;
  const path = pathOf(item, names);
  const scored = PARTS.some(([part]) => item.parts[part] !== null);
  return (
    <li>
      <span className="receipt-rank">{rank}</span>
      <div>
        <p>{node?.__typename === "Goal" ? <Link href={`/lineage/${node.id}`}>{text}</Link> : text}</p>
        <p className="receipt-facts">
          {kind}
          <span>
            <ScoreBar share={item.score} /> Score {item.score.toFixed(2)}
          </span>
          <span>{counted(item.tokens, "token")}</span>
        </p>
        {reason && <p className="quiet">{reason}</p>}
        {path.length > 0 && (
          <ol className="path" aria-label="The way from the prompt to it">
            <li>Prompt</li>
            {path.map((step) => (
              <li key={step.id}>{step.goal ? <Link href={`/lineage/${step.id}`}>{step.name}</Link> : step.name}</li>
            ))}
          </ol>
        )}
        {against > 0 && <p className="quiet">{counted(against, "observation")} may contradict it.</p>}
        {scored && (
          <details className="disclosure">
            <summary>
              How it scored<span className="unseen">: {text}</span>
            </summary>
            <Parts parts={item.parts} />
          </details>
        )}
      </div>
    </li>
  );
}

function Parts({ parts }: { parts: Item["parts"] }) {
  return (
    <dl className="parts">
      {PARTS.map(([part, title]) => {
        const value = parts[part];
        return (
          value !== null && (
            <div key={part}>
              <dt>{title}</dt>
              <dd>
                <ScoreBar share={value} /> {value.toFixed(2)}
              </dd>
            </div>
          )
        );
      })}
    </dl>
  );
}
