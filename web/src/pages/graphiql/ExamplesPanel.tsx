// The list of examples beside the editors.

import { type GraphiQLPlugin, pick, useGraphiQL, useGraphiQLActions } from "@graphiql/react";
import { useEffect, useState } from "react";
import { isNarrow } from "../../shared/narrow";
import { messageOf } from "../../shared/session";
import { asText, type Example, type Examples, type Filled, fill, running } from "./examples";

function ExamplesPanel({ examples, picks }: Examples) {
  const { queryEditor, variableEditor, responseEditor } = useGraphiQL(
    pick("queryEditor", "variableEditor", "responseEditor"),
  );
  const { addTab, setOperationFacts, setVisiblePlugin } = useGraphiQLActions();
  const [notice, setNotice] = useState("");
  const [loading, setLoading] = useState(false);
  // While an example is loading, the editor still has the operation of before. GraphiQL has no switch for its button.
  useEffect(() => {
    const button = document.querySelector<HTMLButtonElement>(".graphiql-execute-button");
    if (!loading || !button) return;
    button.disabled = true;
    return () => {
      button.disabled = false;
    };
  }, [loading]);

  const open = async (example: Example) => {
    setNotice(`Loading “${example.title}” …`);
    setLoading(true);
    running.off = true;
    try {
      setNotice(await show(example));
    } finally {
      running.off = false;
      setLoading(false);
    }
  };

  /** Put an example into the editors; return what there is to say of it. */
  const show = async (example: Example): Promise<string> => {
    let notice = "";
    let filled: Filled = { text: asText(example.variables), missing: [] };
    try {
      filled = await fill(example.variables, picks);
    } catch (problem) {
      notice = messageOf(problem);
    }
    if (filled.missing.length > 0) {
      notice = `You have no ${filled.missing.join(" and no ")} yet: run the examples above first.`;
    } else if (isNarrow()) {
      setVisiblePlugin(null);
    }
    const now = queryEditor?.getValue().trim() ?? "";
    const untouched = now === "" || examples.some((other) => other.query.trim() === now);
    if (!untouched) addTab();
    queryEditor?.setValue(example.query);
    variableEditor?.setValue(Object.keys(example.variables).length === 0 ? "" : filled.text);
    responseEditor?.setValue("");
    queryEditor?.setPosition({ lineNumber: 1, column: 1 });
    queryEditor?.setScrollTop(0);
    // GraphiQL reads the operation's name a moment later; until then it would run the old one's.
    setOperationFacts({});
    return notice;
  };

  return (
    <section className="examples" aria-label="Examples">
      <div className="graphiql-doc-explorer-title">Examples</div>
      <p>From noticing something to a goal, its turns and its history. Choose one, then run it with Ctrl&nbsp;+&nbsp;Enter.</p>
      <p className="examples-notice" role="status">
        {notice}
      </p>
      <ol>
        {examples.map((example) => (
          <li key={example.name}>
            <button type="button" onClick={() => void open(example)} data-example={example.name}>
              <strong>{example.title}</strong>
              <span>{example.description}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Icon() {
  return (
    <svg height="1em" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={1.5}>
      <path d="M4 6h1.5M4 12h1.5M4 18h1.5M9 6h11M9 12h11M9 18h11" strokeLinecap="round" />
    </svg>
  );
}

/** Return the panel as GraphiQL takes it. */
export function examplesPlugin(loaded: Examples): GraphiQLPlugin {
  return { title: "Examples", icon: Icon, content: () => <ExamplesPanel {...loaded} /> };
}
