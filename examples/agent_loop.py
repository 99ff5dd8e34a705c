"""An agent's loop with plain HTTP: each round is one turn, from the start to the commit.

    pip install httpx
    TOKEN=$(prefrontal token --org me --agent assistant) python agent_loop.py "What is the weather in Paris?"

The agent starts a turn, reads its context, calls a tool, and commits what came of it, also if that failed.
"""

import os
import sys
import time
import uuid

import httpx

URL = os.environ.get("PREFRONTAL_URL", "http://127.0.0.1:8420")
HEADERS = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
API = httpx.Client(base_url=URL, headers=HEADERS, timeout=60)


def call(name: str, answer: str, **given: object) -> dict:
    """Call a mutation; its key makes it happen once, also if it is sent again."""
    kind = name[0].upper() + name[1:]
    asked = f"problem {{ code message field }} ... on {kind}Payload {{ {answer} }}"
    query = f"mutation Do($input: {kind}Input!) {{ {name}(input: $input) {{ {asked} }} }}"
    given["idempotencyKey"] = str(uuid.uuid4())
    body = API.post("/graphql", json={"query": query, "variables": {"input": given}}).json()
    if problem := body.get("errors") or body["data"][name]["problem"]:
        raise SystemExit(f"{name}: {problem}")
    return body["data"][name]


def weather(place: str) -> dict:
    """Ask for the weather. A tool of yours takes its place; `error` says that a call failed."""
    return {"sky": "clear"} if place else {"error": "no place was given"}


def turn(prompt: str) -> str:
    """Do one round: what is known, a call of a tool, an answer, and the commit. Return the answer."""
    name = f"turn-{uuid.uuid4()}"
    call("startTurn", "turn { id }", turnId=name)
    known = call("assembleContext", "context { text partial late }", turnId=name, prompt=prompt, budget=1000)
    print(known["context"]["text"])  # A language model would read it, and choose the tool.
    began, place = time.perf_counter(), prompt.rstrip("?").partition(" in ")[2]
    seen = weather(place)
    tracked = {"tool": "weather", "parameters": {"place": place}, "result": seen}
    tracked["executionTimeMs"] = round((time.perf_counter() - began) * 1000)
    call("trackToolInvocation", "invocation { status }", turnId=name, **tracked)
    answer = f"The sky in {place} is {seen['sky']}." if "sky" in seen else f"I do not know: {seen['error']}."
    said = {"userInput": prompt, "assistantResponse": answer, "conversation": "agent-loop"}
    outcome = {"success": "sky" in seen, "result": answer}
    done = call("commitTurn", "commitStatus export { id }", turnId=name, outcome=outcome, **said)
    print(f"{name}: {done['commitStatus']}, {done['export']['id']}")
    return answer


if __name__ == "__main__":
    for each in sys.argv[1:]:
        print(turn(each))
