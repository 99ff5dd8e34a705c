// An item that a session holds, and one that left it.

import { inWords } from "../../../shared/kinds";
import { counted } from "../../../shared/figures";
import { AllFields } from "../record/AllFields";
import { Bars } from "../record/Bars";
import { Time } from "../Facts";
import { RecordLine } from "../record/RecordLine";
import { type Held, type Past, whyGone, whyHere } from "./words";

export function HeldItem({ item }: { item: Held }) {
  return (
    <>
      <div className="held-what">
        <div className="sheet-head">
          <span className="quiet">Priority {item.priorityRank}</span>
          {item.pinned && <span className="badge">Pinned</span>}
        </div>
        {item.memory ? <RecordLine node={item.memory} /> : <TextItem item={item} />}
        <h4>Why is this here?</h4>
        <p>{whyHere(item)}</p>
        <p className="quiet">
          Came in <Time at={item.admissionTime} />, last used <Time at={item.lastAccess} />,{" "}
          {counted(item.accessCount, "access", "accesses")}.
          {item.entities.length > 0 && ` About ${item.entities.join(", ")}.`}
        </p>
        <AllFields of={item} />
      </div>
      <div>
        <p className="parts-head">
          Salience <strong>{item.salience.toFixed(2)}</strong>
        </p>
        <Bars
          bars={[
            ["Relevance", item.relevance],
            ["Urgency", item.urgency],
            ["Recency", item.recency],
            ["Attention", item.attention],
          ]}
        />
      </div>
    </>
  );
}

function TextItem({ item }: { item: Held }) {
  return (
    <p className="record">
      <span className="kind-icon record-other" aria-hidden="true" />
      <span>
        {item.content}
        <small>{inWords(item.contentType)}, a text of this session alone</small>
      </span>
    </p>
  );
}

export function PastItem({ item }: { item: Past }) {
  return (
    <>
      {item.memory ? (
        <RecordLine node={item.memory} />
      ) : (
        <p className="record quiet">
          <span className="kind-icon record-other" aria-hidden="true" />
          {item.redacted ? "A redacted item, which is never shown." : "A text of this session alone. It was deleted."}
        </p>
      )}
      <p className="past-why">
        {whyGone(item.leftBecause)}{" "}
        <span className="quiet">
          Came in <Time at={item.admissionTime} />
          {item.leftAt && (
            <>
              , left <Time at={item.leftAt} />
            </>
          )}
          .
        </span>
      </p>
      <details className="past-why">
        <summary>Why it was there</summary>
        <p>{whyHere(item)}</p>
        <AllFields of={item} />
      </details>
    </>
  );
}
