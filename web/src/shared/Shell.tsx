// What every page has around its content: the bar, and the dialog that asks for a token.

import { type FormEvent, Fragment, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import iconUrl from "./icon.svg";
import { askWho, forgetToken, keepPastedToken, messageOf, takeTokenFromAddress, type Who } from "./session";
import "./shell.css";

interface ShellProps {
  /** Where the name in the bar leads. */
  home: string;
  /** The page for somebody who is signed in; it calls `askToSignIn` when the server refuses the token. */
  children: (askToSignIn: (problem: string) => void) => ReactNode;
}

interface Asked {
  problem: string;
}

/** A page to whom the token is for, or a question for a token. */
export function Shell({ home, children }: ShellProps) {
  const [who, setWho] = useState<Who | null>(null);
  /** Why somebody is asked for a token, anew each time: the problem is empty when there was none yet. */
  const [asked, setAsked] = useState<Asked | null>(null);
  /** Counts the sessions; each begins afresh, as another organisation has other answers. */
  const [session, setSession] = useState(0);

  const askToSignIn = useCallback((problem: string) => {
    setWho(null);
    setAsked({ problem });
  }, []);

  const start = useCallback(async () => {
    try {
      setWho(await askWho());
    } catch (refused) {
      askToSignIn(messageOf(refused));
      return;
    }
    setAsked(null);
    setSession((number) => number + 1);
  }, [askToSignIn]);

  useEffect(() => {
    const restart = () => {
      if (takeTokenFromAddress()) void start();
    };
    addEventListener("hashchange", restart);
    takeTokenFromAddress();
    void start();
    return () => removeEventListener("hashchange", restart);
  }, [start]);

  const signOut = () => {
    forgetToken();
    askToSignIn("");
  };

  return (
    <>
      <header className="bar">
        <h1 className="bar-name">
          <a href={home}>
            <img src={iconUrl} alt="" width="22" height="22" />
            Prefrontal
          </a>
        </h1>
        {who ? (
          <span className="bar-who" id="who" title={`Organisation ${who.organisation}; roles: ${who.roles.join(", ")}`}>
            {[who.organisation, ...who.actors].join(" · ")}
          </span>
        ) : (
          <span className="bar-who" id="who">
            {asked && "not signed in"}
          </span>
        )}
        <button className="bar-out" id="sign-out" type="button" hidden={!who} onClick={signOut}>
          Sign out
        </button>
      </header>
      <main id="page" inert={asked !== null}>
        {session > 0 && <Fragment key={session}>{children(askToSignIn)}</Fragment>}
      </main>
      {asked && <SignIn asked={asked} onToken={start} />}
    </>
  );
}

/** The dialog that asks for a token. */
function SignIn({ asked, onToken }: { asked: Asked; onToken: () => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null);
  // Asked again: what was typed is of no use.
  useEffect(() => {
    if (!input.current) return;
    input.current.value = "";
    input.current.focus();
  }, [asked]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    keepPastedToken(input.current?.value ?? "");
    void onToken();
  };

  return (
    <div className="cover" id="sign-in">
      <form
        className="box"
        id="sign-in-form"
        role="dialog"
        aria-modal="true"
        aria-labelledby="sign-in-title"
        autoComplete="off"
        onSubmit={submit}
      >
        <h1 id="sign-in-title">Sign in with a token</h1>
        {asked.problem && (
          <p className="box-problem" id="sign-in-problem" role="alert">
            {asked.problem}
          </p>
        )}
        <p>Every call needs a token, which says who you are. Either</p>
        <ul>
          <li>
            open the link that <code>prefrontal serve</code> prints: it signs you in to the demo, or
          </li>
          <li>
            make a token of your own and paste it here:
            <br />
            <code>prefrontal token --org ORG --agent NAME</code>
          </li>
        </ul>
        <label htmlFor="token">Token</label>
        <input
          ref={input}
          id="token"
          name="token"
          type="password"
          required
          autoComplete="off"
          spellCheck={false}
          placeholder="eyJ…"
        />
        <button type="submit">Sign in</button>
        <p className="box-note">The token stays in this browser tab and is forgotten when you close it.</p>
      </form>
    </div>
  );
}
