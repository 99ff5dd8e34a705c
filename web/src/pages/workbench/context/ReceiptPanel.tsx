// Beside the text: what uses the budget, what was chosen and why, and what was left out.

import { BudgetBar } from "./BudgetBar";
import { counted } from "../../../shared/figures";
import { KindLabel } from "../../../shared/KindLabel";
import { LeftOut } from "./LeftOut";
import { ReceiptItem } from "./ReceiptItem";
import { type Context, itemsOf, type Names, readLine, REASONS, usesOf } from "./reading";

interface ReceiptPanelProps {
  context: Context;
  names: Names;
  onBudget: (budget: number) => void;
}

export function ReceiptPanel({ context, names, onBudget }: ReceiptPanelProps) {
  const items = itemsOf(context.sections);
  return (
    <aside className="panel receipt" id="receipt" aria-labelledby="receipt-title">
      <h2 className="unseen" id="receipt-title">
        Receipt
      </h2>
      <section>
        <h3>Budget</h3>
        <BudgetBar uses={usesOf(context)} budget={context.budget} />
      </section>
      <section>
        <h3>Included: {counted(items.length, "item")}</h3>
        <ol className="receipt-items">
          {items.map((item) => (
            <ReceiptItem
              key={item.rank}
              item={item}
              said={readLine(item.text, names).text}
              names={names}
              kind={<KindLabel kind={item.kind} />}
              rank={item.rank}
              reason={REASONS[item.reason]}
            />
          ))}
        </ol>
      </section>
      <section>
        <h3>Left out</h3>
        <LeftOut context={context} onBudget={onBudget} />
      </section>
    </aside>
  );
}
