// What the budget had no room for: what a context with a larger one has more.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ContextWithRoomDocument } from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { counted, inFigures } from "../../../shared/figures";
import { Failed, Loading } from "../../../shared/States";
import { ReceiptItem } from "./ReceiptItem";
import { BUDGET, type Context, itemsOf, leftOut, namesOf, REASONS, ROOM } from "./reading";

/** So many are listed; a longer list helps nobody. */
const MOST = 30;

interface LeftOutProps {
  context: Context;
  prompt: string;
  session: string;
  onBudget: (budget: number) => void;
}

export function LeftOut({ context, prompt, session, onBudget }: LeftOutProps) {
  const found = useQuery({
    queryKey: ["context-with-room", prompt, session],
    queryFn: () => ask(ContextWithRoomDocument, { input: { prompt, budget: ROOM, sessionId: session || null } }),
    refetchInterval: false,
  });
  const withRoom = found.data?.previewContext;
  const items = useMemo(() => (withRoom ? leftOut(context, withRoom) : []), [context, withRoom]);
  const names = useMemo(() => namesOf(withRoom ? itemsOf(withRoom.sections) : []), [withRoom]);
  if (found.isPending) return <Loading what="what was left out" />;
  if (found.isError) return <Failed problem={found.error} onRetry={() => void found.refetch()} />;
  const needed = found.data.previewContext.budget - found.data.previewContext.budgetRemaining;
  const enough = Math.ceil(needed / BUDGET.step) * BUDGET.step;
  return (
    <>
      <p className="quiet">
        The budget has no room for {counted(items.length, "item")}. With {inFigures(needed)} tokens everything fits.
      </p>
      {enough <= BUDGET.most && (
        <button type="button" className="button" onClick={() => onBudget(enough)}>
          Set the budget to {inFigures(enough)}
        </button>
      )}
      <ul className="receipt-items">
        {items.slice(0, MOST).map((item) => (
          <ReceiptItem key={item.rank} item={item} names={names} rank={null} reason={REASONS.OVER_BUDGET} />
        ))}
      </ul>
      {items.length > MOST && <p className="quiet">The list shows the {MOST} with the highest scores.</p>}
      <p className="quiet">Memories that do not fit the prompt are not listed.</p>
    </>
  );
}
