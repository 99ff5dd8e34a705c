// What is said of a link: how sure it is that the observation speaks for the goal, and why.

import { useId } from "react";

export interface EvidenceValues {
  confidence: number;
  note: string;
}

interface EvidenceFieldsProps {
  values: EvidenceValues;
  onChange: (values: EvidenceValues) => void;
}

export function EvidenceFields({ values, onChange }: EvidenceFieldsProps) {
  const id = useId();
  return (
    <>
      <label className="field" htmlFor={`${id}-confidence`}>
        Confidence that it speaks for the goal: {values.confidence.toFixed(2)}
        <input
          id={`${id}-confidence`}
          type="range"
          min={0}
          max={1}
          step={0.01}
          value={values.confidence}
          onChange={(event) => onChange({ ...values, confidence: Number(event.target.value) })}
        />
      </label>
      <label className="field" htmlFor={`${id}-note`}>
        Note, if you like
        <textarea
          id={`${id}-note`}
          rows={2}
          maxLength={1000}
          value={values.note}
          onChange={(event) => onChange({ ...values, note: event.target.value })}
        />
      </label>
    </>
  );
}
