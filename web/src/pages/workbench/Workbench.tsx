// The workbench: its views, each with an address of its own, and the list of them.

import { useIsFetching } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, Redirect, Route, Switch, useRoute } from "wouter";
import { useLive } from "../../shared/live";
import { Empty } from "../../shared/States";
import { ActionsView } from "./actions/ActionsView";
import { ContextView } from "./context/ContextView";
import { HistoryView } from "./history/HistoryView";
import { LineageView } from "./lineage/LineageView";
import { LinkView } from "./link/LinkView";
import { RegistryView } from "./registry/RegistryView";
import { SearchView } from "./search/SearchView";
import { SessionsView } from "./sessions/SessionsView";
import { TurnsView } from "./turns/TurnsView";

interface View {
  /** The first part of its address. */
  path: string;
  title: string;
  /** The drawing of its icon, in a square of 24. */
  icon: string;
  show: (id: string | undefined) => ReactNode;
}

const VIEWS: readonly View[] = [
  {
    path: "lineage",
    title: "Lineage",
    icon: "M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4",
    show: (id) => <LineageView id={id} />,
  },
  {
    path: "link",
    title: "Link",
    icon: "M4 12a3 3 0 1 0 6 0a3 3 0 1 0-6 0M15 8h6v8h-6zM10 12h5",
    show: () => <LinkView />,
  },
  {
    path: "context",
    title: "Context",
    icon: "M4 4h16v16H4zM8 9h8M8 13h8M8 17h4",
    show: () => <ContextView />,
  },
  {
    path: "turns",
    title: "Turns",
    icon: "M4 4.500h4v4H4zM4 15.500h4v4H4zM6 8.500v7M12 6.500h8M12 17.500h8",
    show: (id) => <TurnsView id={id} />,
  },
  {
    path: "sessions",
    title: "Sessions",
    icon: "M10 12a2 2 0 1 0 4 0a2 2 0 1 0-4 0M4 12a8 8 0 1 0 16 0a8 8 0 1 0-16 0M12 2v2M12 20v2",
    show: (id) => <SessionsView id={id} />,
  },
  {
    path: "actions",
    title: "Actions",
    icon: "M4 4h4.500v16H4zM10 4h4.500v10H10zM16 4h4.500v6H16z",
    show: () => <ActionsView />,
  },
  {
    path: "search",
    title: "Search",
    icon: "M4 10.500a6.500 6.500 0 1 0 13 0a6.500 6.500 0 1 0-13 0M15.500 15.500L21 21",
    show: () => <SearchView />,
  },
  {
    path: "registry",
    title: "Registry",
    icon: "M3.500 3.500h7v7h-7zM13.500 13.500h7v7h-7zM10.500 7h6.500v6M14.500 10.500l2.500 2.500l2.500-2.500",
    show: (id) => <RegistryView id={id} />,
  },
  {
    path: "history",
    title: "History",
    icon: "M4 12a8 8 0 1 0 2.500-5.800M4 4v4h4M12 7.500V12l3 2",
    show: (id) => <HistoryView id={id} />,
  },
];

/** The pages that are no views of this one. */
const PAGES = [{ path: "/graphiql", title: "GraphiQL", icon: "M12 3l8 4.500v9L12 21l-8-4.500v-9zM12 3L4 16.500h16z" }];

export function Workbench() {
  return (
    <div className="workbench">
      <nav className="rail" aria-label="Views">
        {VIEWS.map((view) => (
          <ViewLink key={view.path} view={view} />
        ))}
        <span className="rail-space" />
        {PAGES.map((page) => (
          <a key={page.path} href={page.path}>
            <Icon drawing={page.icon} />
            {page.title}
          </a>
        ))}
        <Pulse />
      </nav>
      <div className="view">
        <Switch>
          {VIEWS.map((view) => (
            <Route key={view.path} path={`/${view.path}/:id?`}>
              {(given: { id?: string }) => view.show(given.id)}
            </Route>
          ))}
          <Route path="/">
            <Redirect to={`/${VIEWS[0]?.path}`} replace />
          </Route>
          <Route>
            <Empty title="There is no such view">
              <p>
                Choose one on the left, or <Link href="/">begin with the lineage</Link>.
              </p>
            </Empty>
          </Route>
        </Switch>
      </div>
    </div>
  );
}

function ViewLink({ view }: { view: View }) {
  const [here] = useRoute(`/${view.path}/:id?`);
  return (
    <Link href={`/${view.path}`} aria-current={here ? "page" : undefined}>
      <Icon drawing={view.icon} />
      {view.title}
    </Link>
  );
}

function Icon({ drawing }: { drawing: string }) {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden="true">
      <path d={drawing} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

/** A quiet mark that the page shows what is new, and how. */
function Pulse() {
  const asking = useIsFetching() > 0;
  const live = useLive();
  const title = live
    ? "The views show changes as they happen."
    : "The server does not tell of changes now: the views ask for them every five seconds.";
  return (
    <span className="pulse" data-asking={asking} data-live={live} title={title}>
      <span aria-hidden="true" /> {live ? "live" : "every 5 s"}
    </span>
  );
}
