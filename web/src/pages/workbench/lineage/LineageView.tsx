// A goal with what it comes from, what depends on it and what speaks for it: as a picture and as a list.

import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Label, Slider, SliderOutput, SliderThumb, SliderTrack, ToggleButton } from "react-aria-components";
import { Redirect, useLocation } from "wouter";
import { FirstGoalDocument, LineageDocument } from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { ask } from "../../../shared/api";
import { KindIcon } from "../../../shared/KindIcon";
import { KINDS, type Kind, LOOKS } from "../../../shared/kinds";
import { whenever } from "../../../shared/live";
import { isNarrow } from "../../../shared/narrow";
import { Picture } from "../../../shared/Picture";
import { Empty, Failed, Loading } from "../../../shared/States";
import { inFull } from "../../../shared/times";
import { GoalBox } from "../GoalBox";
import { Away } from "../record/Away";
import { ASKED_FOR, elementsOf, filtered, type Lineage, merged } from "./elements";
import { LineagePanel } from "./LineagePanel";

const DEPTHS = [1, 2, 3, 5, 10, 20];
const DEPTH = 5;

/** The lineage of a goal; without an id that of the most urgent one. */
export function LineageView({ id }: { id: string | undefined }) {
  return id ? <LineageOf key={id} id={id} /> : <FirstGoal />;
}

function FirstGoal() {
  const first = useQuery({ queryKey: ["first-goal"], queryFn: () => ask(FirstGoalDocument, {}) });
  if (first.isPending) return <Loading what="your goals" />;
  if (first.isError) return <Failed problem={first.error} onRetry={() => void first.refetch()} />;
  const goal = first.data.activeGoals[0];
  if (goal) return <Redirect to={`/lineage/${goal.id}`} replace />;
  return (
    <Empty title="There is no goal yet">
      <p>
        A goal is created by an agent, by the evaluation of what it noticed, or by you. Its picture appears here by itself.
      </p>
      <p>
        To create one now, open <a href="/graphiql">GraphiQL</a> and run the examples 2 and 4.
      </p>
    </Empty>
  );
}

function LineageOf({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const [address, change] = useAddress();
  const depth = Number(address.get("depth")) || DEPTH;
  const at = address.get("at");
  const hidden = useMemo(() => listIn(address, "hide"), [address]);
  const wanted = useMemo(() => listIn(address, "show"), [address]);
  const expanded = useMemo(() => [...listIn(address, "also")], [address]);
  const selected = address.get("node");
  const done = address.get("done") !== "no";

  const asked = (goal: string, levels: number) => ({
    queryKey: ["lineage", goal, levels, at],
    queryFn: () => ask(LineageDocument, { id: goal, depth: levels, at }),
    // Of a past time nothing changes any more.
    refetchInterval: at ? (false as const) : whenever,
    placeholderData: keepPreviousData,
  });
  const main = useQuery(asked(id, depth));
  const others = useQueries({ queries: expanded.map((goal) => asked(goal, 1)) });

  const lineage = main.data?.goalLineage;
  const whole = useMemo(() => {
    const found = [lineage, ...others.map((other) => other.data?.goalLineage)];
    return merged(found.filter((each): each is Lineage => Boolean(each)));
  }, [lineage, others]);
  const shown = useMemo(
    () => filtered(whole, id, { kinds: new Set(KINDS.filter((kind) => isShown(kind, hidden, wanted))), done }),
    [whole, id, hidden, wanted, done],
  );
  const direction = isNarrow() ? "down" : "right";
  const elements = useMemo(() => elementsOf(shown.nodes, shown.edges, id, direction), [shown, id, direction]);

  if (main.isPending) return <Loading what="the lineage" />;
  if (main.isError && !main.data) return <Failed problem={main.error} onRetry={() => void main.refetch()} />;
  if (!lineage) {
    return (
      <Empty title={at ? "The goal was not there yet" : "There is no such goal"}>
        {at ? (
          <button type="button" className="button" onClick={() => change({ at: null })}>
            Show it as it is now
          </button>
        ) : (
          <p>It was deleted, or you may not read it. Choose another one: </p>
        )}
        <GoalBox label="Goal" value={null} onChoose={(goal) => navigate(`/lineage/${goal.id}`)} />
      </Empty>
    );
  }

  const toggle = (kind: Kind) => {
    const [name, list] = ASKED_FOR.has(kind) ? (["show", wanted] as const) : (["hide", hidden] as const);
    const next = new Set(list);
    if (!next.delete(kind)) next.add(kind);
    change({ [name]: [...next].join(",") });
  };
  const open = (node: string) => {
    if (node !== id && whole.nodes.find((each) => each.id === node)?.kind === "goal") navigate(`/lineage/${node}`);
  };
  return (
    <div className="split">
      <section className="stage" aria-label="Lineage">
        <div className="toolbar">
          <GoalBox label="Goal" value={lineage.goal} onChoose={(goal) => navigate(`/lineage/${goal.id}`)} />
          <label className="field">
            Levels
            <select value={depth} onChange={(event) => change({ depth: event.target.value })}>
              {DEPTHS.map((levels) => (
                <option key={levels}>{levels}</option>
              ))}
            </select>
          </label>
          <fieldset className="chips">
            <legend>Show</legend>
            {KINDS.filter((kind) => kind !== "goal" && kind !== "session").map((kind) => (
              <ToggleButton key={kind} className="chip" isSelected={isShown(kind, hidden, wanted)} onChange={() => toggle(kind)}>
                <KindIcon kind={kind} />
                {LOOKS[kind].many}
              </ToggleButton>
            ))}
            <ToggleButton className="chip" isSelected={done} onChange={(on) => change({ done: on ? null : "no" })}>
              What is done
            </ToggleButton>
          </fieldset>
        </div>
        {lineage.truncated && (
          <p className="notice" role="status">
            The lineage is larger than what one picture takes. Choose fewer levels, or open a goal further down.
          </p>
        )}
        {main.isError && <Away />}
        <Picture
          elements={elements}
          selected={selected}
          onSelect={(node) => change({ node })}
          onOpen={open}
          subject={`${id} ${depth}`}
          label={`The lineage of “${lineage.goal.title}”: ${shown.nodes.length} nodes. The list beside it has the same.`}
        >
          <AsOf since={lineage.goal.createdAt} at={at} onChange={(time) => change({ at: time })} />
        </Picture>
      </section>
      <LineagePanel
        focal={id}
        nodes={shown.nodes}
        selected={selected}
        expanded={expanded}
        onSelect={(node) => change({ node })}
        onExpand={(goal) => change({ also: [...expanded, goal].join(",") })}
        onOpen={open}
      />
    </div>
  );
}

const listIn = (address: URLSearchParams, name: string): Set<string> =>
  new Set((address.get(name) ?? "").split(",").filter(Boolean));

const isShown = (kind: Kind, hidden: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean =>
  ASKED_FOR.has(kind) ? wanted.has(kind) : !hidden.has(kind);

/** The slider of time: from the creation of the goal to now. */
function AsOf({ since, at, onChange }: { since: string; at: string | null; onChange: (time: string | null) => void }) {
  const start = Date.parse(since);
  // The end stands still while somebody looks, else the thumb would move under the hand.
  const end = useMemo(() => Math.max(Date.now(), start + 60_000), [start]);
  const step = Math.max(1, Math.ceil((end - start) / 400));
  // The last step is now.
  const last = start + step * Math.floor((end - start) / step);
  const value = at ? Math.min(last, Math.max(start, Date.parse(at))) : last;
  return (
    <Slider
      className="slider"
      minValue={start}
      maxValue={last}
      step={step}
      defaultValue={value}
      key={at ?? "now"}
      onChangeEnd={(time) => onChange(time >= last ? null : new Date(time).toISOString())}
    >
      <Label>As it was</Label>
      <SliderOutput>{({ state }) => (state.getThumbValue(0) >= last ? "now" : inFull(state.getThumbValue(0)))}</SliderOutput>
      <SliderTrack className="slider-track">
        <SliderThumb className="slider-thumb" />
      </SliderTrack>
    </Slider>
  );
}
