// What was left out and why, as the receipt of the context says.

import { counted, inFigures } from "../../../shared/figures";
import { ReceiptItem } from "./ReceiptItem";
import {
  BUDGET,
  budgetForAll,
  type Context,
  type Excluded,
  leftOutOf,
  type LeftOutFor,
  nameOf,
  namesOf,
  REASONS,
  SECTIONS,
} from "./reading";

/** So many of a reason are listed; a longer list helps nobody. */
const MOST = 30;

const nameOfExcluded = (item: Excluded): string =>
  item.node ? nameOf(item.node) : "What was deleted, or what you may not read any more";

interface LeftOutProps {
  context: Context;
  onBudget: (budget: number) => void;
}

export function LeftOut({ context, onBudget }: LeftOutProps) {
  const found = leftOutOf(context.receipt);
  const enough = budgetForAll(context, found);
  if (found.length === 0) return <p className="quiet">Nothing was left out.</p>;
  return (
    <>
      {enough !== null && enough <= BUDGET.most && (
        <button type="button" className="button" onClick={() => onBudget(enough)}>
          Set the budget to {inFigures(enough)}
        </button>
      )}
      {found.map((each) => (
        <Left key={each.reason} of={each} />
      ))}
    </>
  );
}

function Left({ of: { reason, count, items } }: { of: LeftOutFor }) {
  const shown = items.slice(0, MOST);
  const names = namesOf(shown);
  return (
    <details className="disclosure" open={reason === "OVER_BUDGET"}>
      <summary>
        {counted(count, "item")}: {REASONS[reason]}
      </summary>
      <ul className="receipt-items">
        {shown.map((item, place) => (
          <ReceiptItem
            key={item.node?.id ?? place}
            item={item}
            said={nameOfExcluded(item)}
            names={names}
            kind={<span>{SECTIONS[item.section]}</span>}
            rank={null}
          />
        ))}
      </ul>
      {count > shown.length && <p className="quiet">The list shows {counted(shown.length, "item")} with the highest scores.</p>}
    </details>
  );
}
