// The list of examples beside the editors. Their variables name things you have: `<goal>` becomes your most
// urgent goal, `<proposal>` the newest that is not done with, so that each example runs as it is.

import { send } from "./session.js";

const h = (...args) => React.createElement(...args);
const narrow = () => matchMedia("(max-width: 800px)").matches;

let loaded;

/** The examples and the query that finds what their variables name; fetched once. */
export function loadExamples() {
  loaded ??= fetch("/graphiql/assets/examples.json").then((response) => response.json());
  return loaded;
}

/** Put the ids you have in the places of their names; tell what is missing. */
async function fill(variables, picks) {
  const text = JSON.stringify(variables, null, 2);
  const names = [...new Set(text.match(/<[a-z]+>/g) ?? [])];
  if (names.length === 0) return { text, missing: [] };
  const { data } = await send({ query: picks, operationName: "Picks" });
  const observation = data?.observations.nodes[0];
  const goal = data?.activeGoals[0];
  const found = {
    "<observation>": observation?.id,
    "<tag>": data?.observations.nodes.flatMap((node) => node.tags)[0],
    "<goal>": goal?.id,
    "<turn>": data?.observations.nodes.map((node) => node.source.turnId).find(Boolean),
    "<proposal>": data?.registryProposals.nodes[0]?.id,
  };
  const filled = names.reduce((so, name) => so.replaceAll(name, found[name] ?? ""), text);
  return { text: filled, missing: names.filter((name) => !found[name]).map((name) => name.slice(1, -1)) };
}

function Examples({ examples, picks }) {
  const { useEditorContext, usePluginContext } = GraphiQL.React;
  const editors = useEditorContext({ nonNull: true });
  const plugins = usePluginContext({ nonNull: true });
  const [notice, setNotice] = React.useState("");
  const [waiting, setWaiting] = React.useState(null);

  const show = (content) => {
    editors.queryEditor.setValue(content.query);
    editors.variableEditor.setValue(content.variables);
    editors.responseEditor?.setValue("");
    editors.queryEditor.setCursor(0, 0);
    // GraphiQL reads the operation's name a moment later; until then it would run the old one's.
    editors.setOperationName(null);
  };
  // A tab that was asked for is there after the next drawing only.
  React.useEffect(() => {
    if (!waiting) return;
    show(waiting);
    setWaiting(null);
  }, [editors.activeTabIndex]);

  const open = async (example) => {
    setNotice("");
    let filled = { text: JSON.stringify(example.variables, null, 2), missing: [] };
    try {
      filled = await fill(example.variables, picks);
    } catch (problem) {
      setNotice(problem.message);
    }
    if (filled.missing.length > 0) {
      setNotice(`You have no ${filled.missing.join(" and no ")} yet: run the examples above first.`);
    } else if (narrow()) {
      plugins.setVisiblePlugin(null);
    }
    const variables = Object.keys(example.variables).length === 0 ? "" : filled.text;
    const content = { query: example.query, variables };
    const now = editors.queryEditor.getValue().trim();
    const untouched = now === "" || examples.some((other) => other.query.trim() === now);
    if (untouched) {
      show(content);
    } else {
      setWaiting(content);
      editors.addTab();
    }
  };

  return h(
    "section",
    { className: "examples", "aria-label": "Examples" },
    h("div", { className: "graphiql-doc-explorer-title" }, "Examples"),
    h("p", null, "From noticing something to a goal, its turns and its history. Choose one, then run it with Ctrl\u00a0+\u00a0Enter."),
    h("p", { className: "examples-notice", role: "status" }, notice),
    h(
      "ol",
      null,
      examples.map((example) =>
        h(
          "li",
          { key: example.name },
          h(
            "button",
            { type: "button", onClick: () => open(example), "data-example": example.name },
            h("strong", null, example.title),
            h("span", null, example.description),
          ),
        ),
      ),
    ),
  );
}

const Icon = () =>
  h(
    "svg",
    { height: "1em", viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", strokeWidth: 1.5 },
    h("path", { d: "M4 6h1.5M4 12h1.5M4 18h1.5M9 6h11M9 12h11M9 18h11", strokeLinecap: "round" }),
  );

export function examplesPlugin({ examples, picks }) {
  return { title: "Examples", icon: Icon, content: () => h(Examples, { examples, picks }) };
}
