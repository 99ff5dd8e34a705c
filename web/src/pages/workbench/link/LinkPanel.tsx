// Beside the picture: the form that links, what an observation speaks for, and all observations as a list.

import { type ComponentProps, type FormEvent, useId, useState } from "react";
import { KindIcon } from "../../../shared/KindIcon";
import type { Observation } from "./board";
import { ObservationPanel } from "./ObservationPanel";

type Changes = Pick<ComponentProps<typeof ObservationPanel>, "onLink" | "onChange" | "onUnlink">;

interface LinkPanelProps extends Changes {
  observations: readonly Observation[];
  /** The id of an observation, of a goal, or of a link: both ids with a space between them. */
  selected: string | null;
  chosen: ReadonlySet<string>;
  founding: boolean;
  onSelect: (id: string | null) => void;
  onChoose: (observation: string, on: boolean) => void;
  onFounding: (open: boolean) => void;
  onFound: (title: string) => void;
}

export function LinkPanel(props: LinkPanelProps) {
  const { observations, selected, chosen, founding, onSelect, onChoose, onFounding } = props;
  const [one, other] = (selected ?? "").split(" ");
  const observation = observations.find((each) => each.id === one);
  return (
    <aside className="panel" aria-label="Links">
      {founding && <NewGoal {...props} />}
      {observation && (
        <ObservationPanel
          key={observation.id}
          observation={observation}
          goal={other ?? null}
          onLink={props.onLink}
          onChange={props.onChange}
          onUnlink={props.onUnlink}
          onClose={() => onSelect(null)}
        />
      )}
      <section aria-label="Scratch page">
        <h3>Scratch page</h3>
        <p className="quiet">Choose an observation to link it, or mark several for a new goal.</p>
        {chosen.size > 0 && !founding && (
          <p className="buttons">
            <button type="button" className="button button-main" onClick={() => onFounding(true)}>
              New goal from {chosen.size} …
            </button>
          </p>
        )}
        {observations.length === 0 && <p>No active observation has these words.</p>}
        <ul className="nodes">
          {observations.map((each) => (
            <li key={each.id} className="nodes-marked">
              <input
                type="checkbox"
                aria-label={`Mark “${each.content}” for a new goal`}
                checked={chosen.has(each.id)}
                onChange={(event) => onChoose(each.id, event.target.checked)}
              />
              <button type="button" aria-pressed={each.id === one} onClick={() => onSelect(each.id)}>
                <KindIcon kind="observation" />
                <span>
                  {each.content}
                  <small>{each.goals.edges.length === 0 ? "no goal yet" : each.goals.edges.map((edge) => edge.node.title).join("; ")}</small>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  );
}

function NewGoal({ chosen, observations, onFounding, onFound, onChoose }: LinkPanelProps) {
  const [title, setTitle] = useState("");
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim()) onFound(title.trim());
  };
  return (
    <form className="form details" aria-label="New goal" onSubmit={submit}>
      <h2>A new goal</h2>
      <label className="field" htmlFor={id}>
        What is to be reached
        <input id={id} autoFocus required maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
      </label>
      <h3>What speaks for it</h3>
      {chosen.size === 0 && <p className="quiet">Nothing yet: mark observations below, or drop them on “A new goal …”.</p>}
      <ul className="links">
        {observations
          .filter((each) => chosen.has(each.id))
          .map((each) => (
            <li key={each.id}>
              {each.content}
              <button type="button" className="link-button" aria-label={`Leave out ${each.content}`} onClick={() => onChoose(each.id, false)}>
                Leave out
              </button>
            </li>
          ))}
      </ul>
      <p className="buttons">
        <button type="submit" className="button button-main" disabled={!title.trim()}>
          Create the goal
        </button>
        <button type="button" className="button" onClick={() => onFounding(false)}>
          Cancel
        </button>
      </p>
    </form>
  );
}
