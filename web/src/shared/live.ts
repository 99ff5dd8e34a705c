// What changes elsewhere is shown as it happens: a subscription to the events tells the views to read again.
// While there is none, they ask every few seconds.

import { type Query, useQueryClient } from "@tanstack/react-query";
import { createClient } from "graphql-ws";
import { createContext, useContext, useEffect, useState } from "react";
import { keptToken, send } from "./session";

/** How often a view asks while nobody tells it of changes. */
const POLL_MS = 5_000;
/** How often it asks all the same: what only time changes has no event. */
const SLOW_MS = 60_000;
/** So long events are gathered, so that a turn that writes twenty records is read once. */
const GATHER_MS = 150;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

const LAST = "query Last { lastEvent }";
const EVENTS = "subscription Changes($after: Seq) { events(after: $after) { seq } }";

interface Changes {
  events: { seq: number };
}

let told = false;

/** The interval of a view that shows changes by itself; for `refetchInterval`. */
export const whenever = (): number => (told ? SLOW_MS : POLL_MS);

/** Whether changes are told as they happen. */
export const Live = createContext(false);

/** Return whether changes are told as they happen; if not, the views ask every few seconds. */
export const useLive = (): boolean => useContext(Live);

/** Tell whether a query is one of a view that shows changes by itself. */
const showsChanges = (query: Query): boolean =>
  query.observers.some((observer) => observer.options.refetchInterval === whenever);

/** Follow the events for as long as the page is open, and return whether they are told. */
export function useFollowing(): boolean {
  const client = useQueryClient();
  const [live, setLive] = useState(false);

  useEffect(() => {
    const ended = new AbortController();
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let last: number | null = null;
    let wait = FIRST_WAIT_MS;

    // The place from which on events are told. The views read again once the socket is open, which is later: so no
    // change is missed, however long the stream takes to begin.
    const placeNow = async (): Promise<number> => {
      const { data } = await send<{ lastEvent: number }>({ query: LAST });
      if (!data) throw new Error("The place of the last event is not known.");
      return data.lastEvent;
    };
    const readAgain = (after = GATHER_MS) => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        void client.invalidateQueries({ predicate: showsChanges });
      }, after);
    };
    const become = (now: boolean) => {
      if (ended.signal.aborted || told === now) return;
      told = now;
      setLive(now);
      // Either way something may have been missed, and each view takes the other interval.
      readAgain(0);
    };

    const socket = createClient({
      url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/graphql`,
      connectionParams: () => ({ authorization: `Bearer ${keptToken() ?? ""}` }),
      // Whoever comes again goes on behind the last event, which only this loop knows.
      retryAttempts: 0,
      on: {
        connected: () => become(true),
        closed: () => become(false),
      },
    });
    ended.signal.addEventListener("abort", () => void socket.dispose());

    const follow = async () => {
      while (!ended.signal.aborted) {
        try {
          last ??= await placeNow();
          for await (const { data } of socket.iterate<Changes>({ query: EVENTS, variables: { after: last } })) {
            if (!data) break;
            last = data.events.seq;
            wait = FIRST_WAIT_MS;
            readAgain();
          }
        } catch {
          // Closed, refused, or not there: the views ask by themselves until it is back.
        }
        become(false);
        await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random() / 2)));
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
      }
    };
    void follow();

    // A socket does not notice at once that the network is gone, or back; a read does.
    const readNow = () => readAgain(0);
    addEventListener("offline", readNow);
    addEventListener("online", readNow);

    return () => {
      removeEventListener("offline", readNow);
      removeEventListener("online", readNow);
      ended.abort();
      clearTimeout(gathering);
      told = false;
    };
  }, [client]);

  return live;
}
