// A card of the board: an action, and exactly the changes that its type allows.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { Link } from "wouter";
import { inWords, shortened } from "../../../shared/kinds";
import { Time } from "../Facts";
import { AllFields } from "../record/AllFields";
import {
  type Action,
  type ActionType,
  cardId,
  isFinal,
  nextOf,
  optionsOf,
  rankInWords,
  verbOf,
  waitsForConfirmation,
} from "./board";

/** What somebody wants: another status, or with null that the action is confirmed. */
export interface Wish {
  status: string | null;
  choice: string | null;
}

interface CardProps {
  action: Action;
  type: ActionType | undefined;
  busy: boolean;
  showPerson: boolean;
  /** Called while somebody works on the card, and when it is over. */
  onHold: (on: boolean) => void;
  onWish: (wish: Wish) => void;
}

export function Card({ action, type, busy, showPerson, onHold, onWish }: CardProps) {
  /** The last status that somebody is asked about, since nothing follows it. */
  const [asked, setAsked] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  const hold = useRef(onHold);
  hold.current = onHold;
  useEffect(() => {
    hold.current(open || asked !== null);
    return () => hold.current(false);
  }, [open, asked]);
  const next = nextOf(action, type);
  const close = () => {
    setAsked(null);
    // The button is there again in the next picture.
    setTimeout(() => menu.current?.focus());
  };
  const choose = (status: string) => {
    if (isFinal(status, type)) setAsked(status);
    else onWish({ status, choice: null });
  };
  return (
    <li className="card" id={cardId(action.id)} tabIndex={-1} aria-busy={busy}>
      <h5>{action.title}</h5>
      {action.description && action.description !== action.title && <p>{shortened(action.description, 240)}</p>}
      <p className="quiet">
        {type?.displayName ?? inWords(action.type)}, priority {action.priority}
        {showPerson && action.person && `, for ${action.person.name}`}
      </p>
      {action.goal && (
        <p className="quiet">
          Goal: <Link href={`/lineage/${action.goal.id}?node=${action.id}`}>{action.goal.title}</Link>
        </p>
      )}
      <Marks action={action} type={type} />
      {action.isBlocked && <p className="quiet">{waitsFor(action)}</p>}

      {asked ? (
        <Asked
          status={asked}
          options={asked === "completed" ? optionsOf(action, type) : []}
          busy={busy}
          onNo={close}
          onYes={(choice) => onWish({ status: asked, choice })}
        />
      ) : (
        <div className="card-buttons">
          {waitsForConfirmation(action, type) && (
            <Button
              className="button"
              aria-label={`Confirm “${action.title}”`}
              isPending={busy}
              onPress={() => onWish({ status: null, choice: null })}
            >
              Confirm
            </Button>
          )}
          {next.length > 0 && (
            <MenuTrigger isOpen={open} onOpenChange={setOpen}>
              <Button
                ref={menu}
                className="button"
                aria-label={`Change status of “${action.title}”`}
                isPending={busy}
              >
                {busy ? "Changing …" : <>Change status <span aria-hidden="true">▾</span></>}
              </Button>
              <Popover className="popover">
                <Menu className="listbox" onAction={(key) => choose(String(key))}>
                  {next.map((status) => (
                    <MenuItem key={status} id={status}>
                      {verbOf(status)}
                      {isFinal(status, type) && " …"}
                    </MenuItem>
                  ))}
                </Menu>
              </Popover>
            </MenuTrigger>
          )}
        </div>
      )}
      <details>
        <summary>Why it stands here</summary>
        <ul className="rank">
          {rankInWords(action).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <AllFields of={action} />
      </details>
    </li>
  );
}

function Marks({ action, type }: { action: Action; type: ActionType | undefined }) {
  const isOver = isFinal(action.status, type);
  return (
    <p className="marks">
      {action.dueAt && (
        <span className={action.overdue ? "badge badge-wrong" : "badge"}>
          {action.overdue ? "Overdue: " : "Due "}
          <Time at={action.dueAt} />
        </span>
      )}
      {action.blocking && !isOver && <span className="badge badge-wrong">Blocks its goal</span>}
      {action.isBlocked && <span className="badge">Cannot start yet</span>}
      {waitsForConfirmation(action, type) && <span className="badge">Needs confirmation</span>}
      {action.confirmedAt && (
        <span className="badge badge-good">
          Confirmed{action.confirmedBy && ` by ${action.confirmedBy.name}`}
        </span>
      )}
      {isOver && action.completedAt && (
        <span className="badge">
          Done <Time at={action.completedAt} />
        </span>
      )}
    </p>
  );
}

function waitsFor(action: Action): string {
  const titles = action.blockedBy.nodes.filter((each) => each.id !== action.id).map((each) => `“${each.title}”`);
  if (titles.length > 0) return `First finish ${titles.join(", ")}.`;
  return action.goal?.status === "BLOCKED" ? "Its goal is blocked." : "Its goal does not allow it now.";
}

interface AskedProps {
  status: string;
  /** One of these must be chosen, if there are any. */
  options: readonly string[];
  busy: boolean;
  onNo: () => void;
  onYes: (choice: string | null) => void;
}

/** The question before a change that cannot be taken back. */
function Asked({ status, options, busy, onNo, onYes }: AskedProps) {
  const [choice, setChoice] = useState<string | null>(null);
  const name = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // After the menu has given the focus back to its button, which is gone.
    const wait = setTimeout(() => form.current?.querySelector<HTMLElement>("input, button")?.focus(), 50);
    return () => clearTimeout(wait);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onNo();
  };
  const isReady = options.length === 0 || choice !== null;
  return (
    <form
      ref={form}
      className="asked"
      aria-label={verbOf(status)}
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !busy) onYes(choice);
      }}
    >
      {options.length > 0 && (
        <fieldset>
          <legend>Which one?</legend>
          {options.map((option) => (
            <label key={option}>
              <input type="radio" name={name} checked={choice === option} onChange={() => setChoice(option)} />
              {option}
            </label>
          ))}
        </fieldset>
      )}
      <p className="quiet">This cannot be taken back here.</p>
      <div className="card-buttons">
        <button type="submit" className="button button-main" aria-disabled={!isReady || busy}>
          {busy ? "Changing …" : YES[status] ?? verbOf(status)}
        </button>
        <button type="button" className="button" onClick={onNo}>
          Leave it
        </button>
      </div>
    </form>
  );
}

const YES: Readonly<Record<string, string>> = { completed: "Complete it", cancelled: "Cancel it" };
