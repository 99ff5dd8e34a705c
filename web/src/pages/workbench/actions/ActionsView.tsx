// The open actions as a board: a list for each owner, with a column for each status.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ToggleButton } from "react-aria-components";
import {
  ActionBoardDocument,
  ActionRulesDocument,
  CompleteActionDocument,
  ConfirmActionDocument,
  MoveActionDocument,
} from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { counted } from "../../../shared/figures";
import { ask, change } from "../../../shared/api";
import { whenever } from "../../../shared/live";
import { usePages } from "../../../shared/paging";
import { inWords, shortened } from "../../../shared/kinds";
import { Empty, Failed, Loading } from "../../../shared/States";
import { Away } from "../record/Away";
import { More } from "../record/More";
import { reasonOf } from "../record/reason";
import { type Action, type ActionType, allStatuses, cardId, columnsOf, type List, listsOf } from "./board";
import { Card, type Wish } from "./Card";
import "../record/record.css";
import "./actions.css";

/** What was done last, as it is said. */
interface Said {
  text: string;
  wrong: boolean;
}

const SAID = "actions-said";

export function ActionsView() {
  const [address, setAddress] = useAddress();
  const text = address.get("words") ?? "";
  const done = address.get("done") === "yes";
  const client = useQueryClient();
  /** The card on which somebody works: while there is one, the board keeps its order. */
  const [held, setHeld] = useState<string | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [said, setSaid] = useState<Said | null>(null);
  const focusNext = useRef<string>(null);

  const rules = useQuery({
    queryKey: ["action-rules"],
    queryFn: () => ask(ActionRulesDocument, {}),
    refetchInterval: 60_000,
  });
  const types = rules.data?.actionTypes ?? [];
  const { query: board, nodes: actions } = usePages({
    queryKey: ["actions", text, done],
    ask: (after) =>
      ask(ActionBoardDocument, { text: text || null, status: done ? allStatuses(types) : null, after }),
    list: (answer) => answer.pendingActions,
    enabled: rules.isSuccess,
    refetchInterval: held || busy ? false : whenever,
  });

  // What changed while the board kept its order is read once nobody works on it.
  const kept = held !== null || busy !== null;
  useEffect(() => {
    if (!kept) void client.invalidateQueries({ queryKey: ["actions"] });
  }, [kept, client]);

  // A card that moved is another element: whoever was on it stays on it.
  useEffect(() => {
    const id = focusNext.current;
    if (!id || busy) return;
    focusNext.current = null;
    const card = document.getElementById(cardId(id));
    if (document.activeElement && document.activeElement !== document.body) return;
    (card ?? document.getElementById(SAID))?.focus();
  }, [board.data, busy]);

  if (rules.isError && !rules.data) return <Failed problem={rules.error} onRetry={() => void rules.refetch()} />;
  if (board.isError && !board.data) return <Failed problem={board.error} onRetry={() => void board.refetch()} />;
  if (!rules.data || board.isPending) return <Loading what="the actions" />;

  const fulfil = async (action: Action, wish: Wish) => {
    const title = shortened(action.title, 60);
    const input = { id: action.id, expectedVersion: action.version };
    setBusy(action.id);
    setSaid(null);
    try {
      if (wish.status === null) {
        await change(ConfirmActionDocument, { input });
        setSaid({ text: `“${title}” is confirmed.`, wrong: false });
      } else {
        const { status, choice } = wish;
        if (status === "completed") await change(CompleteActionDocument, { input: { ...input, choice } });
        else await change(MoveActionDocument, { input: { ...input, status } });
        setSaid({ text: `“${title}” is ${inWords(status).toLowerCase()} now.`, wrong: false });
      }
    } catch (problem) {
      setSaid({ text: `“${title}” was not changed. ${reasonOf(problem)}`, wrong: true });
    }
    focusNext.current = action.id;
    await client.invalidateQueries({ queryKey: ["actions"] });
    setBusy(null);
  };

  const { me } = rules.data;
  return (
    <div className="board">
      <div className="toolbar">
        <h2>Actions</h2>
        <label className="field">
          Actions with these words
          <input type="search" value={text} onChange={(event) => setAddress({ words: event.target.value })} />
        </label>
        <fieldset className="chips">
          <legend>Show</legend>
          <ToggleButton
            className="chip"
            isSelected={done}
            onChange={(on) => setAddress({ done: on ? "yes" : null })}
          >
            What is done
          </ToggleButton>
        </fieldset>
      </div>
      {board.isError && <Away />}
      {actions.length === 0 && !text && !done ? (
        <Empty title="Nothing waits to be done">
          <p>An action is the next step towards a goal. It appears here when an agent or you create one.</p>
          <p>
            To create some now, open <a href="/graphiql">GraphiQL</a> and run the example 4.
          </p>
        </Empty>
      ) : actions.length === 0 ? (
        <p className="board-note">No action has these words. Search for other words, or show what is done.</p>
      ) : (
        listsOf(actions, me).map((list) => (
          <ListOf key={list.id} list={list} types={types} done={done}>
            {(action) => (
              <Card
                key={action.id}
                action={action}
                type={types.find((type) => type.id === action.type)}
                busy={busy === action.id}
                showPerson={list.id === "others"}
                onHold={(on) => setHeld((now) => (on ? action.id : now === action.id ? null : now))}
                onWish={(wish) => {
                  if (!busy) void fulfil(action, wish);
                }}
              />
            )}
          </ListOf>
        ))
      )}
      {me.agent && actions.some((action) => action.owner === "USER") && (
        <p className="board-note quiet">
          You are signed in with a token of the agent {me.agent.name}. To complete, cancel or confirm what is for a
          person, sign in with a token of that person alone.
        </p>
      )}
      <div className="board-note">
        <More of={board} what="actions" />
      </div>
      <div className="board-said" role="status" id={SAID} tabIndex={-1} data-wrong={said?.wrong ?? false}>
        {said && (
          <>
            <span>{said.text}</span>
            <button type="button" className="link-button" onClick={() => setSaid(null)}>
              Close
            </button>
          </>
        )}
      </div>
    </div>
  );
}

interface ListOfProps {
  list: List;
  types: readonly ActionType[];
  done: boolean;
  children: (action: Action) => ReactNode;
}

function ListOf({ list, types, done, children }: ListOfProps) {
  const columns = columnsOf(list.actions, types, done);
  return (
    <section className="lane" aria-labelledby={`list-${list.id}`}>
      <h3 id={`list-${list.id}`}>
        {list.title} <span className="quiet">{counted(list.actions.length, "action")}</span>
      </h3>
      {list.actions.length === 0 ? (
        <p className="quiet">{list.empty}</p>
      ) : (
        <div className="columns">
          {columns.map((status) => {
            const found = list.actions.filter((action) => action.status === status);
            return (
              <section key={status} className="column" data-empty={found.length === 0} aria-label={inWords(status)}>
                <h4>
                  {inWords(status)} <span className="quiet">{found.length}</span>
                </h4>
                {found.length > 0 && <ul className="cards">{found.map(children)}</ul>}
              </section>
            );
          })}
        </div>
      )}
    </section>
  );
}
