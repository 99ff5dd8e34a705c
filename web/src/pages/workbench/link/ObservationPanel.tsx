// The chosen observation: what it speaks for, which goals are likely, and the form that links it.

import { type FormEvent, useState } from "react";
import { Link as To } from "wouter";
import { KindIcon } from "../../../shared/KindIcon";
import { GoalBox } from "../GoalBox";
import type { Linked, Observation, Pair } from "./board";
import { EvidenceFields, type EvidenceValues } from "./EvidenceFields";
import { Suggestions } from "./Suggestions";

/** What may be said of a link; what is missing is decided by the service. */
export type LinkValues = Partial<EvidenceValues>;

interface ObservationPanelProps {
  observation: Observation;
  /** The goal whose link is chosen in the picture. */
  goal: string | null;
  onLink: (pair: Pair, title: string, values: LinkValues) => void;
  onChange: (pair: Pair, edge: Linked, values: EvidenceValues) => void;
  onUnlink: (pair: Pair, title: string) => void;
  onClose: () => void;
}

export function ObservationPanel({ observation, goal, onLink, onChange, onUnlink, onClose }: ObservationPanelProps) {
  const [target, setTarget] = useState<{ id: string; title: string } | null>(null);
  const [values, setValues] = useState<EvidenceValues>({ confidence: observation.confidence, note: "" });
  /** The goal whose link is being changed. */
  const [changing, setChanging] = useState<string | null>(null);
  const linked = observation.goals.edges.some((edge) => edge.node.id === target?.id);
  const to = (id: string): Pair => ({ observation: observation.id, goal: id });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!target || linked) return;
    onLink(to(target.id), target.title, values);
    setTarget(null);
    setValues({ ...values, note: "" });
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
                {changing !== edge.node.id && (
                  <small>
                    confidence {edge.confidence.toFixed(2)}
                    {edge.note && `: ${edge.note}`}
                  </small>
                )}
                {changing === edge.node.id ? (
                  <LinkForm
                    edge={edge}
                    onSave={(changed) => {
                      setChanging(null);
                      onChange(to(edge.node.id), edge, changed);
                    }}
                    onCancel={() => setChanging(null)}
                  />
                ) : (
                  <span className="link-buttons">
                    <button
                      type="button"
                      className="link-button"
                      aria-label={`Change the link to ${edge.node.title}`}
                      onClick={() => setChanging(edge.node.id)}
                    >
                      Change
                    </button>
                    <button
                      type="button"
                      className="link-button"
                      aria-label={`Unlink from ${edge.node.title}`}
                      onClick={() => onUnlink(to(edge.node.id), edge.node.title)}
                    >
                      Unlink
                    </button>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <Suggestions observation={observation.id} onLink={({ id, title }) => onLink(to(id), title, {})} />
      <form className="form" onSubmit={submit}>
        <h3>Link it</h3>
        <GoalBox label="To the goal" value={target} onChoose={setTarget} />
        <EvidenceFields values={values} onChange={setValues} />
        <p className="buttons">
          <button type="submit" className="button button-main" disabled={!target || linked}>
            {linked ? "Linked already" : "Link"}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
        </p>
      </form>
    </section>
  );
}

interface LinkFormProps {
  edge: Linked;
  onSave: (values: EvidenceValues) => void;
  onCancel: () => void;
}

function LinkForm({ edge, onSave, onCancel }: LinkFormProps) {
  const [values, setValues] = useState<EvidenceValues>({ confidence: edge.confidence, note: edge.note ?? "" });
  return (
    <form
      className="form"
      aria-label={`The link to ${edge.node.title}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSave(values);
      }}
    >
      <EvidenceFields values={values} onChange={setValues} />
      <p className="buttons">
        <button type="submit" className="button button-main">
          Save
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}
