// A list of the API, page by page: what is shown so far, and what asks for more.

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";

/** A connection of the API. */
interface Page<Node> {
  nodes: readonly Node[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

interface Wanted<Answer, Node> {
  queryKey: readonly unknown[];
  ask: (after: string | null) => Promise<Answer>;
  /** Where the list stands in an answer; null if the server has none. */
  list: (answer: Answer) => Page<Node> | null;
  enabled?: boolean;
  refetchInterval?: number | false | (() => number);
}

/** Return the query of a list and its items so far. While another list is asked for, the former one stays. */
export function usePages<Answer, Node>({ ask, list, ...wanted }: Wanted<Answer, Node>) {
  const query = useInfiniteQuery({
    ...wanted,
    queryFn: ({ pageParam }) => ask(pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Answer) => {
      const page = list(last);
      return page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    },
    placeholderData: keepPreviousData,
  });
  const nodes = query.data?.pages.flatMap((answer) => list(answer)?.nodes ?? []) ?? [];
  return { query, nodes };
}
