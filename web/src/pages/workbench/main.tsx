import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useMemo } from "react";
import { createRoot } from "react-dom/client";
import { Refused } from "../../shared/api";
import { Shell } from "../../shared/Shell";
import { SignInNeeded } from "../../shared/session";
import "../../shared/theme.css";
import { QueryCache } from "@tanstack/react-query";
import { Workbench } from "./Workbench";
import "./workbench.css";

/** How often a view asks for what was changed elsewhere. */
const EVERY_MS = 5_000;

function Session({ askToSignIn }: { askToSignIn: (problem: string) => void }) {
  const client = useMemo(
    () =>
      new QueryClient({
        queryCache: new QueryCache({
          onError: (problem) => {
            if (problem instanceof SignInNeeded) askToSignIn(problem.message);
          },
        }),
        defaultOptions: {
          queries: {
            refetchInterval: EVERY_MS,
            staleTime: 1_000,
            // The server may be on this machine, where "online" says nothing.
            networkMode: "always",
            // What was refused is refused again; a server that is away may come back.
            retry: (times, problem) => times < 2 && !(problem instanceof Refused || problem instanceof SignInNeeded),
          },
        },
      }),
    [askToSignIn],
  );
  return (
    <QueryClientProvider client={client}>
      <Workbench />
    </QueryClientProvider>
  );
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root");
createRoot(root).render(<Shell home="/">{(askToSignIn) => <Session askToSignIn={askToSignIn} />}</Shell>);
