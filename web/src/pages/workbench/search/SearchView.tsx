// A question, or words, and what the memory has that answers.

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ToggleButton } from "react-aria-components";
import { type SearchKind, SearchDocument } from "../../../generated/operations";
import { useAddress } from "../../../shared/address";
import { ask } from "../../../shared/api";
import { useDebounced } from "../../../shared/debounce";
import { counted } from "../../../shared/figures";
import { Empty, Failed, Loading } from "../../../shared/States";
import { messageOf } from "../../../shared/session";
import { kindsOf, manyOf, type Result, SEARCH_KINDS, toggled } from "./results";
import { SearchResult } from "./SearchResult";
import "./search.css";

const EXAMPLES = ["What can Jonas drink?", "What does the Meursault cost?"];

export function SearchView() {
  const [address, change] = useAddress();
  const text = address.get("text") ?? "";
  const kinds = kindsOf(address.get("kinds"));
  const wanted = useDebounced(text.trim());
  const found = useInfiniteQuery({
    queryKey: ["search", wanted, kinds],
    queryFn: ({ pageParam }) =>
      ask(SearchDocument, { text: wanted, kinds: kinds.length > 0 ? kinds : [...SEARCH_KINDS], after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ searchMemory: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    enabled: wanted !== "",
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });
  const pages = found.data?.pages.map((page) => page.searchMemory) ?? [];
  const results = pages.flatMap((page) => page.edges);
  const late = found.isPlaceholderData || wanted !== text.trim();
  return (
    <div className="search">
      <h1 className="unseen">Search</h1>
      <form role="search" className="toolbar" onSubmit={(event) => event.preventDefault()}>
        <label className="field search-text">
          Question or words
          <input type="search" value={text} onChange={(event) => change({ text: event.target.value })} />
        </label>
        <KindChips kinds={kinds} onChange={(next) => change({ kinds: next })} />
      </form>
      {!text.trim() ? (
        <Nothing onChoose={(example) => change({ text: example })} />
      ) : found.isError && !found.data ? (
        <Failed problem={found.error} onRetry={() => void found.refetch()} />
      ) : !found.data ? (
        <Loading what="the results" />
      ) : (
        <div className="search-found" aria-busy={late}>
          <p className={results.length > 0 || late ? "search-said" : "unseen"} role="status">
            {late ? "Searching …" : saidOf(results.length, found.hasNextPage)}
          </p>
          {!late && pages[0] && pages[0].weaker > 0 && (
            <p className="quiet">{counted(pages[0].weaker, "weaker result")} held back.</p>
          )}
          {pages.some((page) => page.partial) && <Partial onRetry={() => void found.refetch()} />}
          {results.length > 0 ? (
            <Results
              results={results}
              more={found.hasNextPage}
              loading={found.isFetchingNextPage}
              problem={found.isFetchNextPageError ? messageOf(found.error) : null}
              onMore={() => void found.fetchNextPage()}
            />
          ) : (
            !late && <NoAnswer filtered={kinds.length > 0} onAll={() => change({ kinds: null })} />
          )}
        </div>
      )}
    </div>
  );
}

/** Return how many results there are, in words. */
function saidOf(number: number, more: boolean): string {
  if (number === 0) return "No result.";
  if (number === 1) return more ? "The first result." : "1 result.";
  return `${more ? "The first " : ""}${number} results, the best first.`;
}

interface KindChipsProps {
  /** Empty for all kinds. */
  kinds: readonly SearchKind[];
  onChange: (kinds: string | null) => void;
}

function KindChips({ kinds, onChange }: KindChipsProps) {
  return (
    <fieldset className="chips search-kinds">
      <legend>Kinds</legend>
      <ToggleButton className="chip" isSelected={kinds.length === 0} onChange={() => onChange(null)}>
        All
      </ToggleButton>
      {SEARCH_KINDS.map((kind) => (
        <ToggleButton
          key={kind}
          className="chip"
          isSelected={kinds.includes(kind)}
          onChange={() => onChange(toggled(kinds, kind))}
        >
          {manyOf(kind)}
        </ToggleButton>
      ))}
    </fieldset>
  );
}

interface ResultsProps {
  results: readonly Result[];
  more: boolean;
  loading: boolean;
  problem: string | null;
  onMore: () => void;
}

function Results({ results, more, loading, problem, onMore }: ResultsProps) {
  /** The place of the first result that was loaded last: the focus goes there, as the button moves away. */
  const [from, setFrom] = useState<number | null>(null);
  const first = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (from === null || results.length <= from) return;
    first.current?.focus();
    setFrom(null);
  }, [from, results.length]);
  const spaces = new Set(results.map((result) => result.space?.name));
  return (
    <>
      <ol className="results">
        {results.map((result, place) => (
          <SearchResult
            key={result.cursor}
            result={result}
            withSpace={spaces.size > 1}
            ref={place === from ? first : undefined}
          />
        ))}
      </ol>
      {problem && (
        <p className="notice notice-wrong" role="alert">
          More results could not be loaded. {problem} Choose “Load more” to try again.
        </p>
      )}
      {more && (
        <button
          type="button"
          className="button"
          aria-disabled={loading}
          onClick={() => {
            if (loading) return;
            setFrom(results.length);
            onMore();
          }}
        >
          {loading ? "Loading …" : "Load more"}
        </button>
      )}
    </>
  );
}

function Partial({ onRetry }: { onRetry: () => void }) {
  return (
    <p className="notice">
      These results match the words of your question alone: its meaning was not ready in time, or the memories have
      vectors of another encoder (<code>prefrontal doctor</code> tells).{" "}
      <button type="button" className="link-button" onClick={onRetry}>
        Search again
      </button>
    </p>
  );
}

function Nothing({ onChoose }: { onChoose: (example: string) => void }) {
  return (
    <Empty title="Search the memory of your agents">
      <p>Ask a question, or type some words. The results show how well each memory answers, and why.</p>
      <p>Try one of these:</p>
      <div className="search-examples">
        {EXAMPLES.map((example) => (
          <button key={example} type="button" className="button" onClick={() => onChoose(example)}>
            {example}
          </button>
        ))}
      </div>
    </Empty>
  );
}

function NoAnswer({ filtered, onAll }: { filtered: boolean; onAll: () => void }) {
  return (
    <Empty title="No memory answers this">
      <p>
        What is not relevant enough is left out, so a question without an answer finds nothing. Use other words, or
        name a person or a thing.
      </p>
      {filtered && (
        <button type="button" className="button" onClick={onAll}>
          Search all kinds
        </button>
      )}
    </Empty>
  );
}
