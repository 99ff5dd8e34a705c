// A field that finds a goal by words of its title.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { GoalChoicesDocument } from "../../generated/operations";
import { ask } from "../../shared/api";
import { inWords } from "../../shared/kinds";

interface GoalBoxProps {
  label: string;
  /** The goal that is chosen. */
  value: { id: string; title: string } | null;
  onChoose: (goal: { id: string; title: string }) => void;
}

export function GoalBox({ label, value, onChoose }: GoalBoxProps) {
  const [text, setText] = useState(value?.title ?? "");
  useEffect(() => setText(value?.title ?? ""), [value?.title]);
  // The title of the chosen goal is no question for others.
  const wanted = text === value?.title ? "" : text.trim();
  const found = useQuery({
    queryKey: ["goal-choices", wanted],
    queryFn: () => ask(GoalChoicesDocument, { text: wanted || null }),
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });
  return (
    <ComboBox
      className="field combobox"
      items={found.data?.goals.nodes ?? []}
      inputValue={text}
      onInputChange={setText}
      selectedKey={value?.id ?? null}
      onSelectionChange={(key) => {
        const goal = found.data?.goals.nodes.find((each) => each.id === key);
        if (goal && goal.id !== value?.id) onChoose(goal);
      }}
      defaultFilter={() => true}
      allowsEmptyCollection
      menuTrigger="focus"
    >
      <Label>{label}</Label>
      <div className="combobox-row">
        <Input placeholder="Words of its title" onBlur={() => setText(value?.title ?? "")} />
        <Button aria-label="Show goals">▾</Button>
      </div>
      <Popover className="popover">
        <ListBox className="listbox" renderEmptyState={() => <p className="quiet">No active goal has these words.</p>}>
          {(goal: { id: string; title: string; status: string }) => (
            <ListBoxItem textValue={goal.title}>
              <span>{goal.title}</span> <small>{inWords(goal.status)}</small>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
