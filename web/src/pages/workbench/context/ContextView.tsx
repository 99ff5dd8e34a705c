// What an agent would have in mind for a prompt: the text, and the receipt that says why. It writes nothing.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { ContextPreviewDocument } from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { counted, inFigures } from "../../../shared/figures";
import { ask, Refused } from "../../../shared/api";
import { useDebounced } from "../../../shared/debounce";
import { Empty, Failed, Loading } from "../../../shared/States";
import { ContextForm } from "./ContextForm";
import { ContextText } from "./ContextText";
import { ReceiptPanel } from "./ReceiptPanel";
import { BUDGET, budgetOf, type Context, itemsOf, LATE, namesOf } from "./reading";
import "./context.css";

const EXAMPLES = ["What can Jonas drink on Saturday?", "What must be done by Friday noon?"];

export function ContextView() {
  const [address, change] = useAddress();
  const prompt = address.get("prompt") ?? "";
  const budget = budgetOf(address.get("budget"));
  const session = address.get("session") ?? "";
  const wanted = useDebounced(prompt.trim());
  const allowed = useDebounced(budget);
  const found = useQuery({
    queryKey: ["context", wanted, allowed, session],
    queryFn: () =>
      ask(ContextPreviewDocument, { input: { prompt: wanted, budget: allowed, sessionId: session || null } }),
    enabled: wanted !== "",
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });
  const context = prompt.trim() ? found.data?.previewContext : undefined;
  const setBudget = (value: number) => change({ budget: value === BUDGET.usual ? null : String(value) });
  return (
    <div className="context">
      <h1 className="unseen">Context</h1>
      <ContextForm prompt={prompt} budget={budget} session={session} onChange={change} />
      {!prompt.trim() ? (
        <Nothing onChoose={(example) => change({ prompt: example })} />
      ) : found.isError ? (
        <Problem
          problem={found.error}
          session={session}
          onRetry={() => void found.refetch()}
          onWithout={() => change({ session: null })}
        />
      ) : !context ? (
        <Loading what="the context" />
      ) : (
        <Found
          context={context}
          late={found.isPlaceholderData || wanted !== prompt.trim() || allowed !== budget}
          onBudget={setBudget}
          onRetry={() => void found.refetch()}
        />
      )}
    </div>
  );
}

function Nothing({ onChoose }: { onChoose: (example: string) => void }) {
  return (
    <Empty title="See what an agent has in mind">
      <p>
        Type a prompt. This view shows which memories an agent would get with it, how many tokens they use, and why
        each one was chosen. It changes nothing.
      </p>
      <p>Try one of these:</p>
      <div className="context-examples">
        {EXAMPLES.map((example) => (
          <button key={example} type="button" className="button" onClick={() => onChoose(example)}>
            {example}
          </button>
        ))}
      </div>
    </Empty>
  );
}

interface ProblemProps {
  problem: unknown;
  session: string;
  onRetry: () => void;
  onWithout: () => void;
}

/** What went wrong; a session that is gone is a choice to take back, not a thing to try again. */
function Problem({ problem, session, onRetry, onWithout }: ProblemProps) {
  if (!session || !(problem instanceof Refused) || problem.code !== "not_found") {
    return <Failed problem={problem} onRetry={onRetry} />;
  }
  return (
    <div role="alert">
      <Empty title="There is no such session">
        <p>It was deleted, or it is not yours. Choose another session, or continue without one.</p>
        <button type="button" className="button" onClick={onWithout}>
          Continue without a session
        </button>
      </Empty>
    </div>
  );
}

interface FoundProps {
  context: Context;
  /** Whether this is still the answer to what was asked before. */
  late: boolean;
  onBudget: (budget: number) => void;
  onRetry: () => void;
}

function Found({ context, late, onBudget, onRetry }: FoundProps) {
  const items = itemsOf(context.sections);
  const names = useMemo(() => namesOf(itemsOf(context.sections)), [context]);
  const used = context.budget - context.budgetRemaining;
  const said = `${counted(items.length, "item")}, ${inFigures(used)} of ${inFigures(context.budget)} tokens.`;
  return (
    <div className="split context-found">
      <section className="stage" aria-labelledby="text-title" aria-busy={late}>
        <h2 className="unseen" id="text-title">
          Text
        </h2>
        <div className="context-said">
          <p role="status">{late ? "Loading the context …" : said}</p>
          <a className="context-jump" href="#receipt">
            Go to the receipt
          </a>
          {items.length > 0 && <CopyButton text={context.text} />}
        </div>
        <Notices context={context} onRetry={onRetry} />
        {items.length > 0 ? (
          <ContextText context={context} names={names} />
        ) : context.truncated ? (
          <Empty title="The budget is too small">
            <p>No item fits into {inFigures(context.budget)} tokens. Give the context a larger budget.</p>
          </Empty>
        ) : (
          <Empty title="Nothing is known for this prompt">
            <p>No memory, goal or mandate fits it. Try other words.</p>
            <p>
              To add memories, open <a href="/graphiql">GraphiQL</a> and run the examples 2 and 4.
            </p>
          </Empty>
        )}
      </section>
      <ReceiptPanel context={context} names={names} onBudget={onBudget} />
    </div>
  );
}

/** What is missing in the context, as far as somebody can do something about it. */
function Notices({ context, onRetry }: { context: Context; onRetry: () => void }) {
  return (
    <>
      {context.insufficientBudget && (
        <div className="notice notice-wrong" role="alert">
          The budget has no room for mandates that must always be there. Give the context a larger budget.
          <ul>
            {context.missingMandates.nodes.map((mandate) => (
              <li key={mandate.id}>{mandate.content}</li>
            ))}
          </ul>
        </div>
      )}
      {context.partial && (
        <div className="notice" role="status">
          Something is missing: {context.late.map((source) => LATE[source]).join("; ")}. What was not ready in time is there
          when you load the context again.{" "}
          <button type="button" className="link-button" onClick={onRetry}>
            Load it again
          </button>
        </div>
      )}
    </>
  );
}

/** Copies a text, and says so for as long as the text is the same. */
function CopyButton({ text }: { text: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [text]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("Not copied. Allow this page to use the clipboard, then try again.");
    }
  };
  return (
    <>
      <span className="quiet" role="status">
        {said}
      </span>
      <button type="button" className="button" onClick={() => void copy()}>
        Copy as Markdown
      </button>
    </>
  );
}
