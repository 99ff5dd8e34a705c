// The goals that an observation most likely speaks for, and why.

import { useQuery } from "@tanstack/react-query";
import { SuggestGoalsDocument, type SuggestGoalsQuery } from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { inPercent } from "../../../shared/figures";
import { ScoreBar } from "../../../shared/ScoreBar";
import { messageOf } from "../../../shared/session";

type Suggestion = NonNullable<SuggestGoalsQuery["suggestGoals"]>[number];

interface SuggestionsProps {
  observation: string;
  onLink: (goal: { id: string; title: string }) => void;
}

export function Suggestions({ observation, onLink }: SuggestionsProps) {
  const found = useQuery({
    queryKey: ["suggest-goals", observation],
    queryFn: () => ask(SuggestGoalsDocument, { observation }),
    // A suggestion costs a search, and a list that moves while somebody reads it helps nobody.
    refetchInterval: false,
  });
  const suggestions = found.data?.suggestGoals ?? [];
  return (
    <section aria-label="Likely goals" aria-busy={found.isPending}>
      <h3>Likely goals</h3>
      {found.isPending && <p className="quiet">Looking for goals …</p>}
      {found.isError && <p className="quiet">No goals could be suggested: {messageOf(found.error)}</p>}
      {found.isSuccess && suggestions.length === 0 && (
        <p className="quiet">No other active goal has much in common with it. Choose one below.</p>
      )}
      <ul className="links">
        {suggestions.map((each) => (
          <li key={each.goal.id} className="suggestion">
            <span>
              {each.goal.title}
              <small>
                <ScoreBar share={each.likelihood} /> {inPercent(each.likelihood)}: {reasonsOf(each).join("; ")}
              </small>
            </span>
            <button type="button" className="button" aria-label={`Link to ${each.goal.title}`} onClick={() => onLink(each.goal)}>
              Link
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Return why a goal is suggested, the strongest reason first. */
function reasonsOf({ named, closeness, sharedEntities, sharedTopics }: Suggestion): string[] {
  return [
    ...(named ? ["the observation names it"] : []),
    ...(sharedEntities.length > 0 ? [`its evidence mentions ${sharedEntities.join(", ")}, too`] : []),
    ...(sharedTopics.length > 0 ? [`both are about ${sharedTopics.join(", ")}`] : []),
    ...(closeness !== null && closeness >= 0.01 ? [`their texts are ${inPercent(closeness)} close`] : []),
  ];
}
