// How well what a session held belonged together over time, as a line. Each change of the session is a point.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { SessionEventsDocument, type SessionEventsQuery } from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { counted } from "../../../shared/figures";
import { inFull } from "../../../shared/times";
import { type CoherencePoint, pointsOf } from "./coherence";

const WIDTH = 600;
const HEIGHT = 80;
/** How many pages of events are read: a longer session is shown by its beginning. */
const PAGES = 10;

async function read(id: string): Promise<{ points: CoherencePoint[]; more: boolean }> {
  const points: CoherencePoint[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES; page += 1) {
    const events: SessionEventsQuery["cognitiveEvents"] = (await ask(SessionEventsDocument, { id, after })).cognitiveEvents;
    if (!events) break;
    points.push(...pointsOf(events.nodes.map((event) => event.payload)));
    if (!events.pageInfo.hasNextPage) return { points, more: false };
    after = events.pageInfo.endCursor;
  }
  return { points, more: after !== null };
}

export function Coherence({ id, version }: { id: string; version: number }) {
  const events = useQuery({
    queryKey: ["session-coherence", id, version],
    queryFn: () => read(id),
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });
  const { points, more } = events.data ?? { points: [], more: false };
  const first = points[0];
  const last = points.at(-1);
  // One point is no course.
  if (!first || !last || points.length < 2) return null;
  const span = Math.max(1, last.at - first.at);
  const place = ({ at, value }: CoherencePoint) => `${((at - first.at) / span) * WIDTH},${(1 - value) * HEIGHT}`;
  const lowest = Math.min(...points.map((point) => point.value));
  const highest = Math.max(...points.map((point) => point.value));
  return (
    <section aria-labelledby="coherence">
      <h3 id="coherence">How well it belonged together</h3>
      <svg
        className="coherence"
        viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Coherence at ${counted(points.length, "change")}: from ${first.value.toFixed(2)} to ${last.value.toFixed(2)}`}
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <polyline points={points.map(place).join(" ")} />
      </svg>
      <p className="quiet">
        From {first.value.toFixed(2)} ({inFull(first.at)}) to {last.value.toFixed(2)} ({inFull(last.at)}), between {lowest.toFixed(2)} and{" "}
        {highest.toFixed(2)}, over {counted(points.length, "change")}. 1 is everything about the same.
        {more && " Later changes are not shown."}
      </p>
    </section>
  );
}
