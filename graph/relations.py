"""The relationship types of the graph, each defined once; the node classes say where each begins and ends.

A node class declares one end of a relation with `to` or `from_`, and the node class at the other end declares
the other one. neomodel takes the classes as paths, because they refer to each other in circles.

    class Goal:        evidence = EVIDENCES.from_(OBSERVATION)
    class Observation: goals = EVIDENCES.to(GOAL)

The cardinality belongs to an end: it says how many nodes one node of the class is linked with. The services
keep it and a test checks it; the database does not enforce it.

A relationship with the properties of a `Link` ends by setting `until`. Both ends then lead along the links in
force, and the cardinality counts those. `all_relationships(node)` also returns the links that ended.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    One,
    OneOrMore,
    Relationship,
    RelationshipFrom,
    RelationshipTo,
    StringProperty,
    StructuredRel,
    ZeroOrMore,
    ZeroOrOne,
)

ORGANISATION = "prefrontal.graph.access.node.Organisation"
ACTOR = "prefrontal.graph.access.node.Actor"
SPACE = "prefrontal.graph.access.node.Space"
MEMORY = "prefrontal.graph.node.Memory"
OBSERVATION = "prefrontal.graph.scratch.node.Observation"
TAG = "prefrontal.graph.scratch.node.Tag"
TOPIC = "prefrontal.graph.topics.node.Topic"
ENTITY = "prefrontal.graph.entities.node.Entity"
NAME = "prefrontal.graph.entities.node.Name"
GOAL = "prefrontal.graph.cortex.goals.node.Goal"
PENDING_ACTION = "prefrontal.graph.cortex.actions.node.PendingAction"
QUESTION = "prefrontal.graph.cortex.questions.node.Question"
STORY = "prefrontal.graph.cortex.questions.node.Story"
ACTION_TYPE = "prefrontal.graph.registry.overrides.node.ActionType"
REGISTRY_PROPOSAL = "prefrontal.graph.registry.proposals.node.RegistryProposal"
REMEMBERED = "prefrontal.graph.memory.node.Remembered"
MESSAGE = "prefrontal.graph.memory.node.Message"
PASSAGE = "prefrontal.graph.memory.node.Passage"
CONVERSATION = "prefrontal.graph.memory.node.Conversation"
SUMMARY = "prefrontal.graph.summaries.node.Summary"
LESSON = "prefrontal.graph.lessons.node.Lesson"
TURN = "prefrontal.graph.turns.node.Turn"
TOOL_INVOCATION = "prefrontal.graph.tools.node.ToolInvocation"
STATE_EXPORT = "prefrontal.graph.turns.node.StateExport"
PENDING_COMMIT = "prefrontal.graph.turns.node.PendingCommit"
RESULT_PART = "prefrontal.graph.tools.node.ResultPart"
OUTCOME = "prefrontal.graph.outcomes.node.Outcome"
TRACE_EVENT = "prefrontal.graph.journal.node.TraceEvent"
VERSION = "prefrontal.graph.journal.node.Version"
CHECKPOINT = "prefrontal.graph.sessions.node.Checkpoint"
SESSION = "prefrontal.graph.sessions.node.Session"
CONTEXT_RECEIPT = "prefrontal.graph.context.node.ContextReceipt"


class Link(StructuredRel):
    """A relationship that ends by setting `until`. It is not deleted, so that past states can be read."""

    since = DateTimeNeo4jFormatProperty(required=True)
    until = DateTimeNeo4jFormatProperty()
    by = StringProperty(required=True)


class Derivation(Link):
    """A goal is part of another goal (`CHILD_OF`) or derived from it (`DERIVED_FROM`)."""

    reason = StringProperty()


class Evidences(Link):
    """An observation is evidence of a goal, a pending action or a story."""

    confidence = FloatProperty(required=True)
    weight = FloatProperty(required=True)
    note = StringProperty()
    position = IntegerProperty(required=True)
    version = IntegerProperty(
        required=True,
        help_text="The observation's version when it was linked: the text of this version is the evidence.",
    )
    gain = FloatProperty(required=True, help_text="How much the evidence added to the goal's progress.")
    withheld = FloatProperty(help_text="How much it will add when other evidence no longer contradicts it.")
    turn_key = StringProperty()


class Contradicts(Link):
    """An observation or a lesson contradicts an earlier one, or an outcome contradicts a lesson."""

    how = StringProperty(required=True, help_text="declared or detected.")
    kind = StringProperty(help_text="The kind of difference: number, date, unit or negation.")


class Teaches(StructuredRel):
    """An outcome is where a lesson was learned (`TAUGHT`), or it confirms the lesson (`SUPPORTS`)."""

    at = DateTimeNeo4jFormatProperty(required=True)
    evidence = ArrayProperty(
        StringProperty(), required=True, help_text="The ids of the calls of tools that show it."
    )


class Awaits(Link):
    """The action asked for an unknown type; it stays a task of the user until it gets a known one."""

    name = StringProperty(required=True, help_text="The requested type, as written by the client.")
    owner = StringProperty(help_text="The requested owner.")


class May(Link):
    """A grant: what an actor may do in a space, or with a goal and everything below the goal."""

    permission = StringProperty(required=True)
    granted_by = StringProperty(required=True)


class Offered(May):
    """A grant that its actor has not accepted yet; it allows nothing."""


class Tagged(StructuredRel):
    """A memory has a tag. The ids are copied to the relationship for an index in order of time."""

    composite_indexes = (("tag_uid", "memory_uid"),)

    tag_uid = StringProperty(required=True)
    memory_uid = StringProperty(required=True)


class Mentions(StructuredRel):
    """A memory mentions an entity. The ids are copied to the relationship for an index in order of time.

    The index has the declared mentions alone.
    """

    composite_indexes = (("scope_id", "entity_uid", "from_uid"),)

    count = IntegerProperty(
        required=True, help_text="The number of times the memory's text names the entity."
    )
    how = StringProperty(required=True, help_text="`declared`, or `extracted` from the text.")
    confidence = FloatProperty(required=True, help_text="0–1; 1 for a declared mention.")
    scope_id = StringProperty(required=True, help_text="The space of the memory.")
    entity_uid = StringProperty(help_text="The entity, if the mention was declared.")
    from_uid = StringProperty(required=True)


class On(StructuredRel):
    """A record is about a topic. The ids are copied to the relationship for an index by time.

    For a goal, at least one of `own` and `evidence` is true, for a session of `entity` and `theme`; an
    observation and a durable memory have none of them.
    """

    composite_indexes = (("scope_id", "topic_uid", "from_uid"),)

    scope_id = StringProperty(required=True, help_text="The space of the topic and of what is about it.")
    topic_uid = StringProperty(required=True)
    from_uid = StringProperty(required=True)
    own = BooleanProperty(help_text="Whether the title or the type of the goal has the topic.")
    evidence = BooleanProperty(help_text="Whether evidence of the goal has or had the topic.")
    name = StringProperty(help_text="How the session spells it.")
    entity = BooleanProperty(help_text="Whether it is an entity of what the session holds.")
    theme = BooleanProperty(help_text="Whether it is a theme of the session.")
    durable = BooleanProperty(
        help_text="Whether it stays: a memory has it, and not only texts that live in the session alone."
    )


class WorkedOn(StructuredRel):
    """A session holds evidence of a goal. The ids are copied to the relationship for an index by time."""

    composite_indexes = (("scope_id", "goal_uid", "from_uid"),)

    scope_id = StringProperty(required=True, help_text="The space of the session.")
    goal_uid = StringProperty(required=True)
    from_uid = StringProperty(required=True)


class CorrelatesWith(StructuredRel):
    """A session is related to an earlier one; each number is between 0 and 1."""

    correlation_score = FloatProperty(required=True)
    relationship_type = StringProperty(required=True)
    entity_overlap = FloatProperty(required=True)
    theme_similarity = FloatProperty(required=True)
    content_similarity = FloatProperty(required=True)
    temporal_proximity = FloatProperty(required=True)
    at = DateTimeNeo4jFormatProperty(required=True, help_text="When the two were compared.")


class JudgedItem(StructuredRel):
    """How an item of a session was judged, without its names and its text."""

    item_id = StringProperty(required=True, help_text="The memory's id, or the client's name of a text.")
    content_type = StringProperty(required=True)
    temporal_context = DateTimeNeo4jFormatProperty(required=True, help_text="The time that it is about.")
    confidence = FloatProperty(required=True)
    salience = FloatProperty(required=True)
    relevance = FloatProperty(required=True)
    urgency = FloatProperty(required=True)
    recency = FloatProperty(required=True)
    attention = FloatProperty(required=True)
    contextual_importance = FloatProperty()
    task_relevance = FloatProperty(required=True)
    coherence_boost = FloatProperty(required=True)
    admission_score = FloatProperty(required=True)
    threshold = FloatProperty(required=True)
    reasons = ArrayProperty(StringProperty(), required=True, help_text="Why it was admitted.")
    pinned = BooleanProperty(required=True)


class Holds(Link, JudgedItem):
    """A session holds a memory: a slot of its working memory, with why it was admitted and why it left.

    The ids are copied to the relationship for an index in order of time.
    """

    composite_indexes = (("scope_id", "memory_uid", "from_uid"),)

    scope_id = StringProperty(required=True, help_text="The space of the session.")
    memory_uid = StringProperty(required=True)
    from_uid = StringProperty(required=True)
    entities = ArrayProperty(StringProperty(), required=True, help_text="The names as given.")
    themes = ArrayProperty(StringProperty(), required=True)
    item_source = StringProperty(help_text="Where it comes from, as the client says.")
    last_access = DateTimeNeo4jFormatProperty(required=True)
    access_count = IntegerProperty(required=True)
    redacted = BooleanProperty(help_text="Whether the item never leaves the service.")
    left_because = StringProperty(help_text="Why it left.")
    eviction_score = FloatProperty(help_text="How much spoke for its eviction, if it had to make room.")


class Keeps(JudgedItem):
    """A checkpoint keeps an item that its session held: how it was judged, no names and no text."""


class Saw(StructuredRel):
    """The context of a turn included a memory or a goal, at a certain place."""

    receipt_uid = StringProperty(required=True)
    section = StringProperty(required=True)
    rank = IntegerProperty(required=True)
    tokens = IntegerProperty(required=True)
    score = FloatProperty(required=True)
    reason = StringProperty(required=True)


class Made(StructuredRel):
    """A turn created or changed a node; one relationship for a turn and a node."""

    since = DateTimeNeo4jFormatProperty(required=True, help_text="When the turn first wrote the node.")
    operation = StringProperty(required=True, help_text="The type of that event, e.g. goal.created.")


class Proposed(StructuredRel):
    """A turn proposed a change of the registry, or used an unknown type for which a proposal exists."""

    at = DateTimeNeo4jFormatProperty(required=True)


class _InForce:
    """Leads only along the links that have not ended; comes before one of neomodel's cardinalities."""

    def _new_traversal(self) -> Any:
        traversal = super()._new_traversal()  # type: ignore[misc]
        traversal.match(until__isnull=True)
        return traversal

    def relationship(self, node: Any) -> Any:
        """Return the link in force between this node and another, or None."""
        links = self.all_relationships(node)  # type: ignore[attr-defined]
        return next((link for link in links if link.until is None), None)


class OneInForce(_InForce, One):
    """Exactly one link is in force."""


class OneOrMoreInForce(_InForce, OneOrMore):
    """At least one link is in force."""


class ZeroOrOneInForce(_InForce, ZeroOrOne):
    """At most one link is in force."""


class ZeroOrMoreInForce(_InForce, ZeroOrMore):
    """Any number of links is in force."""


IN_FORCE: dict[type[Any], type[Any]] = {
    One: OneInForce,
    OneOrMore: OneOrMoreInForce,
    ZeroOrOne: ZeroOrOneInForce,
    ZeroOrMore: ZeroOrMoreInForce,
}
"""For each cardinality of neomodel the one that counts the links in force."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relationship type with the class of its properties, from which the node classes make their ends.

    An end is a definition on the class and a manager on its instances. neomodel's types do not tell the two
    apart, so an end has the type `Any`.
    """

    type: str
    properties: builtins.type[StructuredRel] | None = None

    def to(
        self, node_class: str, cardinality: builtins.type[Any] = ZeroOrMore, *, group: str | None = None
    ) -> Any:
        """Return the end at the nodes where the relation begins; `node_class` is at its other end.

        Of the ends of a class that have the same `group`, at most one leads to a node.
        """
        return RelationshipTo(node_class, self.type, self._counted(cardinality), self.properties, group)

    def from_(self, node_class: str, cardinality: builtins.type[Any] = ZeroOrMore) -> Any:
        """Return the end at the nodes that the relation leads to; it begins at `node_class`."""
        return RelationshipFrom(node_class, self.type, self._counted(cardinality), self.properties)

    def between(self, node_class: str, cardinality: builtins.type[Any] = ZeroOrMore) -> Any:
        """Return an end that leads along the relation in both directions, for nodes of one class."""
        return Relationship(node_class, self.type, self._counted(cardinality), self.properties)

    def _counted(self, cardinality: builtins.type[Any]) -> builtins.type[Any]:
        ends = self.properties is not None and issubclass(self.properties, Link)
        return IN_FORCE[cardinality] if ends else cardinality


CHILD_OF = Relation("CHILD_OF", Derivation)
DERIVED_FROM = Relation("DERIVED_FROM", Derivation)
EVIDENCES = Relation("EVIDENCES", Evidences)
CONTRADICTS = Relation("CONTRADICTS", Contradicts)
TAUGHT = Relation("TAUGHT", Teaches)
SUPPORTS = Relation("SUPPORTS", Teaches)
TAGGED = Relation("TAGGED", Tagged)
MENTIONS = Relation("MENTIONS", Mentions)
ON = Relation("ON", On)
SPELLS = Relation("SPELLS")
ADVANCES = Relation("ADVANCES")
AWAITS = Relation("AWAITS", Awaits)
ABOUT = Relation("ABOUT", Link)
ANSWERS = Relation("ANSWERS")
FOR = Relation("FOR")
MAY = Relation("MAY", May)
OFFERED = Relation("OFFERED", Offered)
IN = Relation("IN")
SAW = Relation("SAW", Saw)
MADE = Relation("MADE", Made)
PROPOSED = Relation("PROPOSED", Proposed)
RECEIVED = Relation("RECEIVED")
LOGGED = Relation("LOGGED")
OF = Relation("OF")
SUMMARISES = Relation("SUMMARISES")
RESTS_ON = Relation("RESTS_ON")
SUPERSEDES = Relation("SUPERSEDES")
NEXT = Relation("NEXT")
PART_OF = Relation("PART_OF")
HOLDS = Relation("HOLDS", Holds)
SAVED = Relation("SAVED")
KEEPS = Relation("KEEPS", Keeps)
WORKED_ON = Relation("WORKED_ON", WorkedOn)
CORRELATES_WITH = Relation("CORRELATES_WITH", CorrelatesWith)
IN_SESSION = Relation("IN_SESSION")
INVOKED = Relation("INVOKED")
EXPORTED = Relation("EXPORTED")
FAILED_IN = Relation("FAILED_IN")
RESULTED_IN = Relation("RESULTED_IN")
