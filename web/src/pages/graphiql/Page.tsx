// GraphiQL over /graphql, signed in with a token.

import { explorerPlugin } from "@graphiql/plugin-explorer";
import { HISTORY_PLUGIN } from "@graphiql/plugin-history";
import { useGraphiQL } from "@graphiql/react";
import type { Fetcher, FetcherOpts, FetcherParams } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { use, useEffect, useMemo } from "react";
import { isNarrow } from "../../shared/narrow";
import { messageOf, SignInNeeded, send } from "../../shared/session";
import { examplesPlugin } from "./ExamplesPanel";
import { loadExamples, running } from "./examples";

/** GraphiQL cuts long lines off; ours are for reading. */
function WrapLines() {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  useEffect(() => queryEditor?.updateOptions({ wordWrap: "on" }), [queryEditor]);
  return "GraphiQL";
}

/** GraphiQL for one session. */
export function Page({ askToSignIn }: { askToSignIn: (problem: string) => void }) {
  const loaded = use(loadExamples());
  const examples = useMemo(() => examplesPlugin(loaded), [loaded]);
  const plugins = useMemo(() => [HISTORY_PLUGIN, examples, explorerPlugin()], [examples]);
  const fetcher = useMemo(
    // Its types ask for errors of the class of graphql-js; it shows those of the answer as they are.
    () => (async (operation: FetcherParams, options?: FetcherOpts) => {
      // The shortcut runs the operation although the button is off.
      if (running.off) return { errors: [{ message: "The example is still loading. Run it once it is shown." }] };
      try {
        return await send(operation, options?.headers);
      } catch (problem) {
        if (problem instanceof SignInNeeded) askToSignIn(problem.message);
        // GraphiQL shows this where the answer would be.
        return { errors: [{ message: messageOf(problem) || "Sign in first." }] };
      }
    }) as Fetcher,
    [askToSignIn],
  );
  // Once, at the beginning: a window that is made narrow later keeps its panel.
  const visiblePlugin = useMemo(() => (isNarrow() ? undefined : examples), [examples]);
  return (
    <GraphiQL
      fetcher={fetcher}
      plugins={plugins}
      {...(visiblePlugin && { visiblePlugin })}
      defaultQuery={loaded.examples[0]?.query ?? ""}
      defaultEditorToolsVisibility="variables"
      inputValueDeprecation
      shouldPersistHeaders={false}
    >
      <GraphiQL.Logo>
        <WrapLines />
      </GraphiQL.Logo>
    </GraphiQL>
  );
}
