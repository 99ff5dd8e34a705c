// The button below a list that loads its next page.

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => Promise<unknown>;
}

export function More({ of, what }: { of: Pages; what: string }) {
  if (!of.hasNextPage) return null;
  return (
    <p className="buttons" aria-live="polite">
      <button
        type="button"
        className="button"
        aria-disabled={of.isFetchingNextPage}
        onClick={() => {
          if (!of.isFetchingNextPage) void of.fetchNextPage();
        }}
      >
        {of.isFetchingNextPage ? "Loading …" : `Show more ${what}`}
      </button>
      {of.isFetchNextPageError && <span>They could not be loaded. Try again.</span>}
    </p>
  );
}
