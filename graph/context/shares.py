"""How the budget of a context is divided among its sections (source 000, §Budget Allocation).

    enough     if all candidates fit into the budget, nothing is divided
    limit      share * budget tokens, headings and tags included: what a section takes while what comes after
               waits; no share is no limit
    ahead      mandates, the best memories of a section (`at_least` of `context.yaml`), and the most important
               candidate of a section are taken whatever the section has; they count for its limit
    held back  what would take its section over the limit, and all of the section that comes after it, so that
               in each section the more important still has room before the less important
    then       what was held back, the highest score of all sections first: what one section does not use goes
               to what matters most, so that a goal of 0.5 leaves no fact of 0.9 out

So a section with many long candidates crowds no other out, and no token stays unused for its sake.
The shares are in `registry/context.yaml`; they may sum to more than 1, because each is only a limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from prefrontal.graph.context.record import Candidate, CandidateKind


class Shares:
    """What the sections of one context have taken, against their limits."""

    def __init__(self, budget: int, shares: Mapping[Any, float]) -> None:
        self._limits = {name: share * budget for name, share in shares.items()}
        self._taken: Counter[str] = Counter()
        self._closed: set[str] = set()

    def holds_back(self, candidate: Candidate, tokens: int, *, ahead: bool) -> bool:
        """Return whether a candidate has to wait. One after the other, the most important first.

        Args:
            candidate: The candidate.
            tokens: What it takes, with its heading or tags if it is the first of its kind.
            ahead: Whether it is one of the best memories of its section.
        """
        section = candidate.section
        if ahead or candidate.kind is CandidateKind.MANDATE:
            return False
        if section not in self._closed:
            over = self._taken[section] + tokens > self._limits.get(section, float("inf"))
            if not over or not self._taken[section]:
                return False
            self._closed.add(section)
        return True

    def took(self, candidate: Candidate, tokens: int) -> None:
        """Count what a candidate took."""
        self._taken[candidate.section] += tokens
