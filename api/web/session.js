// Who is signed in: the token comes once in the address (`#token=…`) or is pasted, lives as long as the
// browser tab, and goes with every call.

const KEY = "prefrontal.token";
const element = (id) => document.getElementById(id);

export class SignInNeeded extends Error {}

/** Take the token out of the address, so that it is neither shown, bookmarked nor shared. */
export function takeTokenFromAddress() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return false;
  history.replaceState(null, "", location.pathname + location.search);
  sessionStorage.setItem(KEY, given.trim());
  return true;
}

/** Send one operation; a server that does not know the token ends the session. */
export async function send(body, headers = {}) {
  const token = sessionStorage.getItem(KEY);
  if (!token) throw new SignInNeeded("");
  let response;
  try {
    response = await fetch("/graphql", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/graphql-response+json, application/json",
        Authorization: `Bearer ${token}`,
        ...headers,
      },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error("The server does not answer. Is it running? Start it with: prefrontal serve");
  }
  const answer = await response.json().catch(() => null);
  if (response.status === 401) {
    throw new SignInNeeded(answer?.errors?.[0]?.message ?? "The server does not know this token.");
  }
  return answer ?? { errors: [{ message: `The server answered ${response.status} without JSON.` }] };
}

/** The names of the actors in the token; who they are is decided by the server alone. */
function claims() {
  try {
    const part = sessionStorage.getItem(KEY).split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (c) => c.charCodeAt(0))));
  } catch {
    return {};
  }
}

/** Ask the server who the token is for and show it; raises SignInNeeded without a valid one. */
export async function showWho() {
  const answer = await send({ query: "query Who { me { organisation roles } }", operationName: "Who" });
  const me = answer.data?.me;
  if (!me) throw new Error(answer.errors?.[0]?.message ?? "The server did not say who you are.");
  const names = claims();
  const actors = ["agent", "person", "device"].filter((kind) => names[kind]).map((kind) => `${kind} ${names[kind]}`);
  element("who").textContent = [me.organisation, ...actors].join(" · ");
  element("who").title = `Organisation ${me.organisation}; roles: ${me.roles.join(", ")}`;
  element("sign-out").hidden = false;
}

export function askToSignIn(problem) {
  element("who").textContent = "not signed in";
  element("sign-out").hidden = true;
  element("sign-in-problem").textContent = problem;
  element("sign-in-problem").hidden = !problem;
  element("sign-in").hidden = false;
  element("graphiql").inert = true;
  element("token").value = "";
  element("token").focus();
}

export function onSignIn(start) {
  element("sign-in-form").addEventListener("submit", (event) => {
    event.preventDefault();
    // People paste what they were given: with "Bearer", or the whole link.
    const pasted = element("token").value.trim().replace(/^.*#token=/, "").replace(/^Bearer\s+/i, "");
    sessionStorage.setItem(KEY, pasted);
    start();
  });
  element("sign-out").addEventListener("click", () => {
    sessionStorage.removeItem(KEY);
    askToSignIn("");
  });
}

export function closeSignIn() {
  element("sign-in").hidden = true;
  element("graphiql").inert = false;
}
