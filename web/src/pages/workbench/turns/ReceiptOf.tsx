// What a context had for the agent to read, and what it left out, each with the reason.

import { Fragment } from "react";
import type { ReceiptFieldsFragment } from "../../../generated/operations";
import { shortened } from "../../../shared/kinds";
import { counted } from "../../../shared/figures";
import { type Bar, Bars } from "../record/Bars";
import { GONE, RecordLine } from "../record/RecordLine";
import { named } from "../record/record";
import { REASONS, SECTIONS } from "./words";

export type Receipt = ReceiptFieldsFragment;
type Item = Receipt["included"][number] | Receipt["excluded"][number];

export function ReceiptOf({ receipt }: { receipt: Receipt }) {
  const sections = [...new Set(receipt.included.map((item) => item.section))];
  const left = receipt.excludedCounts.reduce((sum, each) => sum + each.count, 0);
  return (
    <div className="turn-receipt">
      <details>
        <summary>{counted(receipt.included.length, "item")} in the context</summary>
        {receipt.included.length === 0 && <p>The context was empty.</p>}
        {sections.map((section) => (
          <Fragment key={section}>
            <h5>{SECTIONS[section]}</h5>
            <ol className="records">
              {receipt.included
                .filter((item) => item.section === section)
                .map((item) => (
                  <li key={item.rank}>
                    <ItemLine item={item} />
                  </li>
                ))}
            </ol>
          </Fragment>
        ))}
      </details>
      <details>
        <summary>{counted(left, "item")} left out</summary>
        {receipt.excludedCounts.length === 0 && <p>Nothing was left out.</p>}
        <ul>
          {receipt.excludedCounts.map(({ reason, count }) => (
            <li key={reason}>
              {counted(count, "item")}: {REASONS[reason]}
            </li>
          ))}
        </ul>
        <ol className="records">
          {receipt.excluded.map((item, at) => (
            <li key={at}>
              <ItemLine item={item} />
            </li>
          ))}
        </ol>
      </details>
    </div>
  );
}

function ItemLine({ item }: { item: Item }) {
  const via = "via" in item && item.via ? named(item.via) : null;
  const why = `Because ${REASONS[item.reason]}${via ? `, by way of “${shortened(via.title, 60)}”` : ""}.`;
  const { relevance, urgency, recency, confidence } = item.parts;
  const bars = (
    [
      ["Relevance", relevance],
      ["Urgency", urgency],
      ["Recency", recency],
      ["Confidence", confidence],
    ] as const
  ).flatMap(([name, share]): Bar[] => (share === null ? [] : [[name, share]]));
  return (
    <>
      {item.node ? <RecordLine node={item.node} /> : <p className="record quiet">{GONE}</p>}
      <p className="quiet item-why">{why}</p>
      {bars.length > 0 && (
        <details className="item-why">
          <summary>Score {item.score.toFixed(2)}</summary>
          <Bars bars={bars} />
        </details>
      )}
    </>
  );
}
