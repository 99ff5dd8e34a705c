// Beside the picture: the form that links, what an observation speaks for, and all observations as a list.

import { type FormEvent, useId, useState } from "react";
import { Link as To } from "wouter";
import { KindIcon } from "../../../shared/KindIcon";
import { GoalBox } from "../GoalBox";
import type { Goal, Observation, Pair } from "./board";

/** What may be said of a link; what is missing is decided by the service. */
export interface LinkValues {
  confidence?: number;
  note?: string;
}

interface LinkPanelProps {
  observations: readonly Observation[];
  goals: readonly Goal[];
  /** The id of an observation, of a goal, or of a link: both ids with a space between them. */
  selected: string | null;
  chosen: ReadonlySet<string>;
  founding: boolean;
  onSelect: (id: string | null) => void;
  onChoose: (observation: string, on: boolean) => void;
  onLink: (pair: Pair, values: LinkValues) => void;
  onUnlink: (pair: Pair) => void;
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
      {observation && <OneObservation key={observation.id} {...props} observation={observation} goal={other ?? null} />}
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

function OneObservation({
  observation,
  goal,
  goals,
  onLink,
  onUnlink,
  onSelect,
}: LinkPanelProps & { observation: Observation; goal: string | null }) {
  const [target, setTarget] = useState<string | null>(null);
  const [confidence, setConfidence] = useState(observation.confidence);
  const [note, setNote] = useState("");
  const id = useId();
  const chosen = goals.find((each) => each.id === target) ?? null;
  const linked = observation.goals.edges.some((edge) => edge.node.id === target);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!target || linked) return;
    onLink({ observation: observation.id, goal: target }, { confidence, ...(note.trim() && { note: note.trim() }) });
    setTarget(null);
    setNote("");
  };
  return (
    <section className="details" aria-label="Chosen observation">
      <header className="details-head">
        <span className="quiet">
          <KindIcon kind="observation" /> Observation
        </span>
        <h2>{observation.content}</h2>
      </header>
      {observation.goals.edges.length > 0 && (
        <>
          <h3>Speaks for</h3>
          <ul className="links">
            {observation.goals.edges.map((edge) => (
              <li key={edge.node.id} data-here={edge.node.id === goal}>
                <To href={`/lineage/${edge.node.id}`}>{edge.node.title}</To>
                <small>
                  confidence {edge.confidence.toFixed(2)}
                  {edge.note && `: ${edge.note}`}
                </small>
                <button
                  type="button"
                  className="link-button"
                  aria-label={`Unlink from ${edge.node.title}`}
                  onClick={() => onUnlink({ observation: observation.id, goal: edge.node.id })}
                >
                  Unlink
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <form className="form" onSubmit={submit}>
        <h3>Link it</h3>
        <GoalBox label="To the goal" value={chosen} onChoose={setTarget} />
        <label className="field" htmlFor={`${id}-confidence`}>
          Confidence that it speaks for the goal: {confidence.toFixed(2)}
          <input
            id={`${id}-confidence`}
            type="range"
            min={0}
            max={1}
            step={0.01}
            value={confidence}
            onChange={(event) => setConfidence(Number(event.target.value))}
          />
        </label>
        <label className="field" htmlFor={`${id}-note`}>
          Note, if you like
          <textarea id={`${id}-note`} rows={2} maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        <p className="buttons">
          <button type="submit" className="button button-main" disabled={!target || linked}>
            {linked ? "Linked already" : "Link"}
          </button>
          <button type="button" className="button" onClick={() => onSelect(null)}>
            Close
          </button>
        </p>
      </form>
    </section>
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
