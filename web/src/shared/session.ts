// Who is signed in: the token comes once in the address (`#token=…`) or is pasted, lives as long as the
// browser tab, and goes with every call.

const KEY = "prefrontal.token";

/** An answer of the API, as GraphQL over HTTP has it. */
export interface Answer<Data> {
  data?: Data | null;
  errors?: { message: string; extensions?: Record<string, unknown> }[];
}

/** One operation for the API. */
export interface Operation {
  query: string;
  operationName?: string | null | undefined;
  variables?: unknown;
}

/** Who the server says the token is for. */
export interface Who {
  organisation: string;
  roles: string[];
  /** The actors that the token names, such as `agent bot`. */
  actors: string[];
}

/** The server has no valid token; the message says why, and is empty when there was none. */
export class SignInNeeded extends Error {}

/** Return what a problem says of itself. */
export const messageOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));

/** Take the token out of the address, so that it is neither shown, bookmarked nor shared. */
export function takeTokenFromAddress(): boolean {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return false;
  history.replaceState(null, "", location.pathname + location.search);
  sessionStorage.setItem(KEY, given.trim());
  return true;
}

/** Keep a token that somebody pasted as it was given to them: with "Bearer", or the whole link. */
export function keepPastedToken(pasted: string): void {
  const token = pasted.trim().replace(/^.*#token=/, "").replace(/^Bearer\s+/i, "");
  sessionStorage.setItem(KEY, token);
}

/** Return the token; null without one. */
export const keptToken = (): string | null => sessionStorage.getItem(KEY);

/** Forget the token. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}

/** Send one operation; a server that does not know the token ends the session. */
export async function send<Data>(operation: Operation, headers: Record<string, string> = {}): Promise<Answer<Data>> {
  const token = keptToken();
  if (!token) throw new SignInNeeded("");
  let response: Response;
  try {
    response = await fetch("/graphql", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/graphql-response+json, application/json",
        Authorization: `Bearer ${token}`,
        ...headers,
      },
      body: JSON.stringify(operation),
    });
  } catch {
    throw new Error("The server does not answer. Is it running? Start it with: prefrontal serve");
  }
  const answer = (await response.json().catch(() => null)) as Answer<Data> | null;
  if (response.status === 401) {
    throw new SignInNeeded(answer?.errors?.[0]?.message ?? "The server does not know this token.");
  }
  return answer ?? { errors: [{ message: `The server answered ${response.status} without JSON.` }] };
}

/** The names of the actors in the token; who they are is decided by the server alone. */
function claims(): Record<string, unknown> {
  try {
    const part = sessionStorage.getItem(KEY)?.split(".")[1]?.replace(/-/g, "+").replace(/_/g, "/") ?? "";
    const text = new TextDecoder().decode(Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0)));
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Ask the server who the token is for; throws SignInNeeded without a valid one. */
export async function askWho(): Promise<Who> {
  const answer = await send<{ me: { organisation: string; roles: string[] } }>({
    query: "query Who { me { organisation roles } }",
    operationName: "Who",
  });
  const me = answer.data?.me;
  if (!me) throw new Error(answer.errors?.[0]?.message ?? "The server did not say who you are.");
  const names = claims();
  const actors = ["agent", "person", "device"].filter((kind) => names[kind]).map((kind) => `${kind} ${names[kind]}`);
  return { ...me, actors };
}
