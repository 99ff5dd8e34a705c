// The scratch page beside the goals: an observation is dragged onto the goal that it speaks for, or linked by a form.

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import cytoscape, { type Core, type NodeSingular } from "cytoscape";
import edgehandles from "cytoscape-edgehandles";
import { useCallback, useMemo, useRef, useState } from "react";
import {
  CreateGoalFromDocument,
  LinkBoardDocument,
  LinkDocument,
  UnlinkDocument,
  UpdateEvidenceDocument,
} from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { counted } from "../../../shared/figures";
import { ask, change } from "../../../shared/api";
import { shortened } from "../../../shared/kinds";
import { isNarrow } from "../../../shared/narrow";
import { Picture } from "../../../shared/Picture";
import { Empty, Failed, Loading } from "../../../shared/States";
import { messageOf } from "../../../shared/session";
import { Away } from "../record/Away";
import { elementsOf, type Linked, mayLink, NEW_GOAL, type Pair, pairId } from "./board";
import type { EvidenceValues } from "./EvidenceFields";
import { LinkPanel } from "./LinkPanel";
import type { LinkValues } from "./ObservationPanel";

cytoscape.use(edgehandles);

/** How many characters of a title are said. */
const TITLE = 50;

/** What was done last, as it is said, and what takes it back. */
interface Said {
  text: string;
  wrong: boolean;
  undo?: () => void;
}

export function LinkView() {
  const [address, setAddress] = useAddress();
  const query = address.get("notes") ?? "";
  const text = address.get("goals") ?? "";
  const selected = address.get("node");
  const client = useQueryClient();
  const board = useQuery({
    queryKey: ["link-board", query, text],
    queryFn: () => ask(LinkBoardDocument, { query: query || null, text: text || null }),
    placeholderData: keepPreviousData,
  });
  const [pending, setPending] = useState<Pair[]>([]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [said, setSaid] = useState<Said | null>(null);
  /** Set while the form of a new goal is open. */
  const [founding, setFounding] = useState(false);

  const observations = board.data?.observations.nodes ?? [];
  const goals = board.data?.goals.nodes ?? [];
  const sides = isNarrow() ? 1 : 2;
  const elements = useMemo(
    () => elementsOf(observations, goals, chosen, pending, sides),
    [observations, goals, chosen, pending, sides],
  );
  const titleOf = (goal: string) => goals.find((each) => each.id === goal)?.title ?? "the goal";
  const refresh = () => client.invalidateQueries();
  /** Do what changes a link, and say what came of it. */
  const doing = async (work: () => Promise<Said>, failed: string) => {
    try {
      setSaid(await work());
    } catch (problem) {
      setSaid({ text: `${failed}: ${messageOf(problem)}`, wrong: true });
    }
    await refresh();
  };

  const unlink = ({ observation, goal }: Pair, title: string) =>
    doing(async () => {
      await change(UnlinkDocument, { input: { observationId: observation, goalId: goal } });
      return { text: `The link to “${shortened(title, TITLE)}” is gone.`, wrong: false };
    }, "Not unlinked");

  const link = async (pair: Pair, title: string, { confidence, note }: LinkValues = {}) => {
    setPending((all) => [...all, pair]);
    setSaid({ text: `Linking to “${shortened(title, TITLE)}” …`, wrong: false });
    await doing(async () => {
      const input = { observationId: pair.observation, goalId: pair.goal, confidence, note: note?.trim() || undefined };
      await change(LinkDocument, { input });
      return { text: `Linked to “${shortened(title, TITLE)}”.`, wrong: false, undo: () => void unlink(pair, title) };
    }, "Not linked");
    setPending((all) => all.filter((each) => pairId(each) !== pairId(pair)));
  };

  const revise = ({ observation, goal }: Pair, had: Linked, { confidence, note }: EvidenceValues) =>
    doing(async () => {
      const input = { observationId: observation, goalId: goal, confidence, note: note.trim() || null };
      await change(UpdateEvidenceDocument, { input });
      const before = { confidence: had.confidence, note: had.note ?? "" };
      const undo = () => void revise({ observation, goal }, { ...had, ...input }, before);
      return { text: `The link to “${shortened(had.node.title, TITLE)}” is changed.`, wrong: false, undo };
    }, "Not changed");

  const found = async (title: string) => {
    try {
      const done = await change(CreateGoalFromDocument, {
        input: { title, evidence: [...chosen].map((observationId) => ({ observationId })) },
      });
      const goal = "goal" in done ? done.goal : null;
      setSaid({ text: `The goal “${goal?.title ?? title}” is there, with ${counted(chosen.size, "observation")}.`, wrong: false });
      setFounding(false);
      setChosen(new Set());
      if (goal) setAddress({ node: goal.id });
    } catch (problem) {
      setSaid({ text: `No goal was created: ${messageOf(problem)}`, wrong: true });
    }
    await refresh();
  };

  const dropped = (observation: string, target: string) => {
    if (target !== NEW_GOAL) {
      void link({ observation, goal: target }, titleOf(target));
      return;
    }
    setChosen((all) => new Set(all).add(observation));
    setFounding(true);
  };

  // The picture is made once; it asks for what holds at the moment.
  const now = useRef({ observations, dropped });
  now.current = { observations, dropped };
  const onReady = useCallback((core: Core) => {
    core.autoungrabify(true);
    const handles = (core as EdgeHandlesCore).edgehandles({
      canConnect: (source, target) => mayLink(source.id(), target.id(), now.current.observations),
      // The drawn edge is replaced by the pending one.
      edgeParams: () => ({ data: { width: 2, from: "outside-to-node", to: "outside-to-node" } }),
      hoverDelay: 0,
      // A goal near the pointer is not the goal under it: with it, a drop on a linked goal took the next one.
      snap: false,
    });
    handles.enableDrawMode();
    const complete = (_: unknown, source: NodeSingular, target: NodeSingular, edge: { remove: () => void }) => {
      edge.remove();
      now.current.dropped(source.id(), target.id());
    };
    core.on("ehcomplete", complete as never);
    return () => handles.destroy();
  }, []);

  if (board.isPending) return <Loading what="the scratch page" />;
  if (board.isError && !board.data) return <Failed problem={board.error} onRetry={() => void board.refetch()} />;
  const select = (id: string | null) => {
    if (id === NEW_GOAL) {
      setFounding(true);
      return;
    }
    setAddress({ node: id });
  };
  const nothing = observations.length === 0 && goals.length === 0 && !query && !text;
  return (
    <div className="split">
      <section className="stage" aria-label="Observations and goals">
        <div className="toolbar">
          <label className="field">
            Observations with these words
            <input type="search" value={query} onChange={(event) => setAddress({ notes: event.target.value })} />
          </label>
          <label className="field">
            Goals with these words
            <input type="search" value={text} onChange={(event) => setAddress({ goals: event.target.value })} />
          </label>
          <p className="hint">Drag an observation onto a goal. The list on the right does the same by keyboard.</p>
        </div>
        <div className="said" role="status" aria-live="polite" data-wrong={said?.wrong ?? false} hidden={!said}>
          {said?.text}
          {said?.undo && (
            <button type="button" className="link-button" onClick={said.undo}>
              Undo
            </button>
          )}
        </div>
        {board.isError && <Away />}
        {(board.data?.observations.pageInfo.hasNextPage || board.data?.goals.pageInfo.hasNextPage) && (
          <p className="notice">The newest 24 observations and the 24 most urgent goals are shown. Words find the others.</p>
        )}
        {nothing ? (
          <Empty title="There is nothing to link yet">
            <p>Observations and goals of your agents appear here by themselves.</p>
            <p>
              To add some now, open <a href="/graphiql">GraphiQL</a> and run the examples 2 and 4.
            </p>
          </Empty>
        ) : (
          <Picture
            elements={elements}
            selected={selected}
            onSelect={select}
            subject={`board ${query} ${text}`}
            onReady={onReady}
            label={`${counted(observations.length, "observation")} and ${goals.length} goals. The list beside it has the same.`}
          />
        )}
      </section>
      <LinkPanel
        observations={observations}
        selected={selected}
        chosen={chosen}
        founding={founding}
        onSelect={select}
        onChoose={(id, on) =>
          setChosen((all) => {
            const next = new Set(all);
            if (on) next.add(id);
            else next.delete(id);
            return next;
          })
        }
        onLink={(pair, title, values) => void link(pair, title, values)}
        onChange={(pair, edge, values) => void revise(pair, edge, values)}
        onUnlink={(pair, title) => void unlink(pair, title)}
        onFounding={setFounding}
        onFound={(title) => void found(title)}
      />
    </div>
  );
}
