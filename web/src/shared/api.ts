// Typed calls of the API: the operations of the `.graphql` files, whose types are made from schema.graphql.

import type { TypedDocumentString } from "../generated/operations";
import { send } from "./session";

/** One reason of a refusal: its code, and the field that it is about. */
export interface Reason {
  code: string;
  message: string;
  field: string | null;
}

/** Why the API refused something. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly field: string | null = null,
    /** All reasons, if there are several. */
    readonly reasons: readonly Reason[] = [],
  ) {
    super(message);
  }
}

/** What a mutation named `done` answers, whatever it is. */
interface Done {
  done: { ok: boolean; problem: (Reason & { problems: readonly Reason[] }) | null };
}

/** Ask the API; throws SignInNeeded, and Refused when it answers with an error. */
export async function ask<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const answer = await send<Result>({ query: document.toString(), variables });
  const problem = answer.errors?.[0];
  if (problem || !answer.data) {
    throw new Refused(problem?.message ?? "The server did not answer.", String(problem?.extensions?.code ?? "unavailable"));
  }
  return answer.data;
}

/** Run a mutation whose field is called `done`; throws Refused with the reason when it was refused. */
export async function change<Result extends Done, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result["done"]> {
  const { done } = await ask(document, variables);
  if (done.problem) {
    const { message, code, field, problems } = done.problem;
    throw new Refused(message, code, field, problems);
  }
  return done;
}
