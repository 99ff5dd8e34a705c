// One result: what it says, when and by whom, how well it answers, and why.

import type { Ref } from "react";
import { Link } from "wouter";
import { inPercent } from "../../../shared/figures";
import { shortened } from "../../../shared/kinds";
import { KindLabel } from "../../../shared/KindLabel";
import { ScoreBar } from "../../../shared/ScoreBar";
import { inFull, relative } from "../../../shared/times";
import { goalOf, partsOf, type Result, signed, split, whoOf } from "./results";

interface SearchResultProps {
  result: Result;
  /** Whether to say which space it is in. */
  withSpace: boolean;
  /** What the first new result is reached by. */
  ref?: Ref<HTMLLIElement> | undefined;
}

export function SearchResult({ result, withSpace, ref }: SearchResultProps) {
  const [before, best, after] = split(result.text, result.passage?.text);
  const goal = goalOf(result);
  const who = whoOf(result);
  return (
    <li className="result" ref={ref} tabIndex={-1}>
      <div className="result-head">
        <KindLabel kind={result.kind} />
        <time dateTime={result.at} title={inFull(result.at)}>
          {relative(result.at)}
        </time>
        {who && <span>by {who}</span>}
        {withSpace && result.space && <span>in {result.space.name}</span>}
        {result.newer && <span>a newer answer is above</span>}
        <span className="result-score">
          <ScoreBar share={result.relevance} /> {inPercent(result.relevance)} relevant
        </span>
      </div>
      <p className="result-text">
        {before}
        {best && <mark>{best}</mark>}
        {after}
      </p>
      {goal && (
        <p className="result-goal">
          {result.kind === "GOAL" ? (
            <Link href={`/lineage/${goal.id}`}>
              Show its lineage<span className="unseen">: {goal.title}</span>
            </Link>
          ) : (
            <>
              Goal: <Link href={`/lineage/${goal.id}`}>{shortened(goal.title, 80)}</Link>
            </>
          )}
        </p>
      )}
      <details className="disclosure">
        <summary>
          Why?<span className="unseen"> {shortened(result.text, 80)}</span>
        </summary>
        <Why result={result} />
      </details>
    </li>
  );
}

function Why({ result }: { result: Result }) {
  const parts = partsOf(result);
  const largest = Math.max(...parts.map((part) => Math.abs(part.value)));
  return (
    <>
      <dl className="why">
        {parts.map((part) => (
          <div key={part.name}>
            <dt>{part.title}</dt>
            <dd>
              <ScoreBar share={Math.abs(part.value) / largest} against={part.value < 0} /> {signed(part.value)}
            </dd>
          </div>
        ))}
      </dl>
      <p className="quiet">
        The higher the sum, the better the result.
        {result.parts.meaning === null && " Its meaning was not compared, only its words."}
      </p>
      {result.passage && (
        <p className="quiet">
          The marked part answers best. It is part {result.passage.place} of {result.passage.total}.
        </p>
      )}
    </>
  );
}
