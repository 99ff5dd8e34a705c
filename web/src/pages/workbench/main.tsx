import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useMemo } from "react";
import { createRoot } from "react-dom/client";
import { Refused } from "../../shared/api";
import { Live, useFollowing, whenever } from "../../shared/live";
import { Shell } from "../../shared/Shell";
import { SignInNeeded } from "../../shared/session";
import "../../shared/theme.css";
import { QueryCache } from "@tanstack/react-query";
import { Workbench } from "./Workbench";
import "./workbench.css";

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
            refetchInterval: whenever,
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
      <Following />
    </QueryClientProvider>
  );
}

function Following() {
  return (
    <Live value={useFollowing()}>
      <Workbench />
    </Live>
  );
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root");
createRoot(root).render(<Shell home="/">{(askToSignIn) => <Session askToSignIn={askToSignIn} />}</Shell>);
