// The examples, and the ids in the places of the names in their variables: `<goal>` becomes your most urgent
// goal, `<proposal>` the newest that is not done with, so that each example runs as it is.

import { send } from "../../shared/session";

/** One example as api/web/routes.py reads it from its files. */
export interface Example {
  name: string;
  title: string;
  description: string;
  query: string;
  variables: Record<string, unknown>;
}

/** Everything that the list of examples needs. */
export interface Examples {
  examples: Example[];
  /** The query that finds what the variables name. */
  picks: string;
}

/** What stands in the editors for an example, and what it names that you do not have. */
export interface Filled {
  text: string;
  missing: string[];
}

interface Picks {
  activeGoals: { id: string }[];
  observations: { nodes: { id: string; tags: string[]; source: { turnId: string | null } }[] };
  registryProposals: { nodes: { id: string }[] };
}

/** Whether operations are not run at the moment: an example is loading, and the editor still has another operation. */
export const running = { off: false };

let loaded: Promise<Examples> | undefined;

/** Return the examples; they are fetched once. */
export function loadExamples(): Promise<Examples> {
  loaded ??= fetch("/graphiql/examples.json").then((response) => response.json() as Promise<Examples>);
  return loaded;
}

/** Return variables as text. */
export const asText = (variables: Record<string, unknown>): string => JSON.stringify(variables, null, 2);

/** Put the ids you have in the places of their names; tell what is missing. */
export async function fill(variables: Record<string, unknown>, picks: string): Promise<Filled> {
  const text = asText(variables);
  const names = [...new Set(text.match(/<[a-z]+>/g) ?? [])];
  if (names.length === 0) return { text, missing: [] };
  const { data, errors } = await send<Picks>({ query: picks, operationName: "Picks" });
  // Nothing found is not the same as nothing answered.
  if (!data) throw new Error(errors?.[0]?.message ?? "The server did not say what you have.");
  const notes = data.observations.nodes;
  const found: Record<string, string | undefined> = {
    "<observation>": notes[0]?.id,
    "<tag>": notes.flatMap((note) => note.tags)[0],
    "<goal>": data.activeGoals[0]?.id,
    "<turn>": notes.map((note) => note.source.turnId).find((turn) => turn !== null),
    "<proposal>": data.registryProposals.nodes[0]?.id,
  };
  const filled = names.reduce((so, name) => so.replaceAll(name, found[name] ?? ""), text);
  return { text: filled, missing: names.filter((name) => !found[name]).map((name) => name.slice(1, -1)) };
}
