// What each section uses of the budget, as a bar and as a list.

import { type Use } from "./reading";
import { inFigures } from "../../../shared/figures";

interface BudgetBarProps {
  uses: readonly Use[];
  budget: number;
}

export function BudgetBar({ uses, budget }: BudgetBarProps) {
  const share = (use: Use) => `${(100 * use.tokens) / Math.max(1, budget)}%`;
  return (
    <>
      <div className="budget-bar" aria-hidden="true">
        {uses.map((use) => (
          <span key={use.name} data-section={use.name} style={{ width: share(use) }} />
        ))}
      </div>
      <table className="budget-uses">
        <caption className="quiet">Tokens by section</caption>
        <tbody>
          {uses.map((use) => (
            <tr key={use.name}>
              <th scope="row">
                <span className="swatch" data-section={use.name} aria-hidden="true" />
                {use.title}
              </th>
              <td>{inFigures(use.tokens)}</td>
            </tr>
          ))}
          <tr className="budget-sum">
            <th scope="row">Budget</th>
            <td>{inFigures(budget)}</td>
          </tr>
        </tbody>
      </table>
    </>
  );
}
