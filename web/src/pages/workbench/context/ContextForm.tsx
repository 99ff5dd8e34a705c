// What a context is made for: the prompt, the budget and the session.

import { useQuery } from "@tanstack/react-query";
import {
  Input,
  Label,
  NumberField,
  Slider,
  SliderOutput,
  SliderThumb,
  SliderTrack,
} from "react-aria-components";
import { ContextSessionsDocument } from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { inFigures } from "../../../shared/figures";
import { inWords } from "../../../shared/kinds";
import { BUDGET } from "./reading";

interface ContextFormProps {
  prompt: string;
  budget: number;
  /** The id of the session, or its key. */
  session: string;
  onChange: (changes: Record<string, string | null>) => void;
}

export function ContextForm({ prompt, budget, session, onChange }: ContextFormProps) {
  const setBudget = (value: number) => {
    if (Number.isFinite(value)) onChange({ budget: value === BUDGET.usual ? null : String(value) });
  };
  return (
    <form
      className="toolbar context-form"
      aria-label="What the context is for"
      onSubmit={(event) => event.preventDefault()}
    >
      <label className="field context-prompt">
        Prompt
        <textarea
          rows={2}
          value={prompt}
          placeholder="What an agent is asked"
          onChange={(event) => onChange({ prompt: event.target.value })}
        />
      </label>
      <Slider
        className="slider"
        minValue={BUDGET.least}
        maxValue={BUDGET.most}
        step={BUDGET.step}
        value={budget}
        onChange={setBudget}
      >
        <Label>Budget</Label>
        <SliderOutput>{inFigures(budget)} tokens</SliderOutput>
        <SliderTrack className="slider-track">
          <SliderThumb className="slider-thumb" />
        </SliderTrack>
      </Slider>
      <NumberField
        className="field context-number"
        minValue={BUDGET.least}
        maxValue={BUDGET.most}
        step={BUDGET.step}
        value={budget}
        onChange={setBudget}
      >
        <Label>Tokens</Label>
        <Input />
      </NumberField>
      <SessionBox session={session} onChange={(key) => onChange({ session: key })} />
    </form>
  );
}

interface SessionBoxProps {
  session: string;
  onChange: (session: string) => void;
}

/** The choice of a session; hidden for somebody who has none. */
function SessionBox({ session, onChange }: SessionBoxProps) {
  const found = useQuery({
    queryKey: ["context-sessions"],
    queryFn: () => ask(ContextSessionsDocument, {}),
    refetchInterval: false,
  });
  const sessions = found.data?.sessions.nodes ?? [];
  // A link may name a session by its key, or one that the list has not.
  const chosen = sessions.find((each) => each.id === session || each.key === session)?.id ?? session;
  if (sessions.length === 0 && !session) return null;
  return (
    <label className="field context-session">
      Session
      <select value={chosen} onChange={(event) => onChange(event.target.value)}>
        <option value="">None</option>
        {chosen && !sessions.some((each) => each.id === chosen) && <option value={chosen}>{chosen}</option>}
        {sessions.map((each) => (
          <option key={each.id} value={each.id}>
            {each.key} ({inWords(each.status).toLowerCase()})
          </option>
        ))}
      </select>
    </label>
  );
}
