// An item of the receipt: its place, its score and what it is made of, the reason, and what led to it.

import { Link } from "wouter";
import { KindLabel } from "../../../shared/KindLabel";
import { counted } from "../../../shared/figures";
import { shortened } from "../../../shared/kinds";
import { ScoreBar } from "../../../shared/ScoreBar";
import { type Item, type Names, PARTS, pathOf, readLine } from "./reading";

interface ReceiptItemProps {
  item: Item;
  names: Names;
  /** Its place in the context; null for what is not in it. */
  rank: number | null;
  reason: string;
}

export function ReceiptItem({ item, names, rank, reason }: ReceiptItemProps) {
  const text = shortened(readLine(item.text, names).text, 120);
  const node = item.node;
  const path = pathOf(item, names);
  const scored = PARTS.some(([part]) => item.parts[part] !== null);
  return (
    <li>
      <span className="receipt-rank">{rank}</span>
      <div>
        <p>{node?.__typename === "Goal" ? <Link href={`/lineage/${node.id}`}>{text}</Link> : text}</p>
        <p className="receipt-facts">
          <KindLabel kind={item.kind} />
          <span>
            <ScoreBar share={item.score} /> Score {item.score.toFixed(2)}
          </span>
          <span>{counted(item.tokens, "token")}</span>
        </p>
        <p className="quiet">{reason}</p>
        {path.length > 0 && (
          <ol className="path" aria-label="The way from the prompt to it">
            <li>Prompt</li>
            {path.map((step) => (
              <li key={step.id}>{step.goal ? <Link href={`/lineage/${step.id}`}>{step.name}</Link> : step.name}</li>
            ))}
          </ol>
        )}
        {item.contradicts.length > 0 && (
          <p className="quiet">{counted(item.contradicts.length, "observation")} may contradict it.</p>
        )}
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
