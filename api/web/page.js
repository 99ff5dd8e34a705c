// GraphiQL over /graphql, signed in with a token.

import { examplesPlugin, loadExamples } from "./examples.js";
import { askToSignIn, closeSignIn, onSignIn, send, showWho, SignInNeeded, takeTokenFromAddress } from "./session.js";

/** GraphiQL cuts long lines off; ours are for reading. */
function WrapLines() {
  const { queryEditor } = GraphiQL.React.useEditorContext({ nonNull: true });
  React.useEffect(() => queryEditor?.setOption("lineWrapping", true), [queryEditor]);
  return "GraphiQL";
}

const root = ReactDOM.createRoot(document.getElementById("graphiql"));
let starts = 0;

async function fetcher(body, options) {
  try {
    return await send(body, options?.headers);
  } catch (problem) {
    if (problem instanceof SignInNeeded) askToSignIn(problem.message);
    // GraphiQL shows this where the answer would be.
    return { errors: [{ message: problem.message || "Sign in first." }] };
  }
}

/** Show GraphiQL to whom the token is for, or ask for a token. */
async function start() {
  try {
    await showWho();
  } catch (problem) {
    askToSignIn(problem.message);
    return;
  }
  closeSignIn();
  const loaded = await loadExamples();
  const examples = examplesPlugin(loaded);
  root.render(
    React.createElement(
      GraphiQL,
      {
        // A new session begins afresh: another organisation has other answers.
        key: (starts += 1),
        fetcher,
        plugins: [examples, GraphiQLPluginExplorer.explorerPlugin()],
        visiblePlugin: matchMedia("(max-width: 800px)").matches ? undefined : examples,
        defaultQuery: loaded.examples[0].query,
        defaultEditorToolsVisibility: "variables",
        inputValueDeprecation: true,
        shouldPersistHeaders: false,
      },
      React.createElement(GraphiQL.Logo, null, React.createElement(WrapLines)),
    ),
  );
}

onSignIn(start);
addEventListener("hashchange", () => takeTokenFromAddress() && start());
takeTokenFromAddress();
start();
