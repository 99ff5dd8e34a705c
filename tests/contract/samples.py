"""A plausible value for every parameter of every query, so that each can be planned and run.

A parameter means the same in every query, but for those that stand under the query's own name.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from prefrontal.graph.storage.queries import Query

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SPACE = "spc_01JBXM3Z8K0QF3W4T9V2C7H5RD"
ORG = "org_01JBXM3Z8K0QF3W4T9V2C7H5RD"
ACTOR = "agt_01JBXM3Z8K0QF3W4T9V2C7H5RD"
OBSERVATION = "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD"
GOAL = "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"
LESSON = "les_01JBXM3Z8K0QF3W4T9V2C7H5RD"
TURN = {
    "scope_id": SPACE,
    "key": "turn-1",
    "uid": "turn_1",
    "name": "turn-1",
    "by_uid": ACTOR,
    "now": NOW,
    "free_before": NOW,
}
VERSION = {"uid": "ver_1", "of_uid": GOAL, "number": 1, "scope_id": SPACE, "changes": "{}"}

SAMPLES: dict[str, Any] = {
    "export": {"uid": "exp_1", "scope_id": SPACE},
    "unfinished": ["pending", "escalated"],
    "pending": [{"uid": "pcm_1", "scope_id": SPACE}],
    "keeps_payload": False,
    "commit_status": "ok",
    "summary": "Decisions: …",
    "former_summary": None,
    "code": None,
    "min_importance": None,
    "resolved": "resolved",
    "active": "active",
    "read_at": NOW,
    "refs": ["4:00000000-0000-0000-0000-000000000000:0"],
    "copies": [],
    "device_id": "",
    "session": "ses_01JBXM3Z8K0QF3W4T9V2C7H5RD",
    "actor_ids": [ACTOR],
    "after_actor": "",
    "after_space": "",
    "common": SPACE,
    "close": [GOAL],
    "counted": 1000,
    "created_since": NOW,
    "own": [SPACE],
    "searched": ["observation", "fact", "message"],
    "newest": ["message"],
    "text_keys": ["0" * 64],
    "text_key": "0" * 64,
    "texts": [{"scope_id": SPACE, "keys": ["0" * 64, "1" * 64]}],
    "conversations": [
        {
            "scope_id": SPACE,
            "key": "chat",
            "uid": "conv_1",
            "org_id": ORG,
            "name": "chat",
            "created_at": NOW,
            "by_uid": ACTOR,
            "uids": ["msg_1", "msg_2"],
            "last_uid": "msg_2",
        }
    ],
    "tombstones": [{"scope_id": SPACE, "text_key": "0" * 64, "uid": "tomb_1"}],
    "live": [True, False],
    "mandate_kind": "mandate",
    "conversation": None,
    "searches": ['+content:("wine")'],
    "trusted": False,
    "active_statuses": ["pending", "in_progress"],
    "actor_id": ACTOR,
    "actors": [
        {"kind": "agent", "key": "bot", "label": "Agent", "uid": ACTOR, "space_uid": SPACE, "name": "b"}
    ],
    "after": "",
    "organisations": 10,
    "page": 100,
    "resting": [ORG],
    "names": ["job:relay_events"],
    "published_to": "nats",
    "after_key": "",
    "after_alignment": 2.0,
    "after_place": "",
    "after_uid": "",
    "best": 200,
    "by_progress": 0.15,
    "by_status": {"pending": 0.15},
    "per_rank": 0.15,
    "agent": None,
    "any_tag_keys": [],
    "before_at": NOW,
    "before_place": 2**31,
    "order": "priority",
    "overdue": None,
    "overdue_key": "2026 ~",
    "person": None,
    "source_kind": None,
    "source_name": None,
    "by_client_key": None,
    "by_turn_key": None,
    "by_source_name": "search",
    "created_before": "",
    "words": [],
    "blocking": None,
    "blocked": False,
    "blocked_status": "blocked",
    "by_due": False,
    "client_keys": ["call-1"],
    "story_statuses": ["draft", "active", "accepted"],
    "soon": "2025-11-06T10:30:00.000000~",
    "space": None,
    "due_after": "",
    "due_before": "9999",
    "open": [True],
    "owners": ["agent", "user"],
    "people": ["per_01JBXM3Z8K0QF3W4T9V2C7H5RD"],
    "mine": None,
    "prefix": "an",
    "prefix_end": "an\U0010ffff",
    "encoder": "hash",
    "slot": "a",
    "entity_uids": [],
    "identified": True,
    "entities": [
        {
            "scope_id": SPACE,
            "key": "ann",
            "uid": "ent_1",
            "name_uid": "name_1",
            "org_id": ORG,
            "caption": "ann",
            "name": "Ann",
            "kind": None,
            "created_at": NOW,
            "by_uid": ACTOR,
        }
    ],
    "batch": 10,
    "registry": "plans",
    "ended_after": NOW,
    "pages": [{"number": 0, "uid": GOAL, "after": None}, {"number": 1, "uid": GOAL, "after": [1, 2, "x"]}],
    "before": "obs_~",
    "at": NOW,
    "entity_id": GOAL,
    "operations": ["goal.created"],
    "since": None,
    "since_uid": "",
    "until": None,
    "before_number": 2**31,
    "before_rank": 2**31,
    "before_uid": "goal_~",
    "body_hash": "0" * 64,
    "always": [{"kind": "mandate", "most": 5}, {"kind": "capability", "most": 5}],
    "checksum": "0" * 64,
    "delete": False,
    "depth": 5,
    "latest": 10,
    "derived_from": [GOAL],
    "events": [
        {
            "uid": "evt_1",
            "scope_id": SPACE,
            "type": "goal.created",
            "aggregate": GOAL,
            "aggregate_version": 1,
            "data": "{}",
            "turn_key": None,
        }
    ],
    "evidence": [{"observation_id": OBSERVATION, "confidence": 0.5, "note": None, "turn_key": None}],
    "expires_at": NOW,
    "free_before": NOW,
    "fence": 1,
    "frame_key": "0" * 32,
    "found": [OBSERVATION],
    "frames": [{"scope_id": SPACE, "key": "0" * 32}],
    "near": [{"uid": "obs_x", "scope_id": SPACE, "vector": [1.0] * 384, "user_id": ""}],
    "nearest": 10,
    "goal_id": GOAL,
    "goal_ids": [GOAL],
    "goal_key": "ship",
    "goal_type": None,
    "goals": 5,
    "home": SPACE,
    "included": [
        {"uid": GOAL, "section": "frontal_cortex", "rank": 1, "tokens": 3, "score": 0.5, "reason": "active"}
    ],
    "key": "bot",
    "keys": [{"scope_id": SPACE, "key": "k"}],
    "kind": "agent",
    "kinds": None,
    "limit": 21,
    "look": 1000,
    "longest": 1000,
    "matching": 5,
    "min_confidence": None,
    "most": 500,
    "name": "a name",
    "now": NOW,
    "number": 9999,
    "org_id": ORG,
    "org_key": "no-such-organisation",
    "owner": "somebody",
    "parent_id": GOAL,
    "permission": "read",
    "properties": {"uid": GOAL, "scope_id": SPACE, "by_uid": ACTOR},
    "question_statuses": ["open", "answered"],
    "readable": [SPACE],
    "receipt": {"uid": "rcp_1", "scope_id": SPACE},
    "receipt_uid": None,
    "recent": 5,
    "related": 5,
    "related_sessions": 3,
    "requests": [{"key": "k", "result": "{}"}],
    "rows": [
        {
            "label": "Mandate",
            "properties": {"uid": OBSERVATION, "scope_id": SPACE, "goal_id": GOAL, "tag_keys": ["tea"]},
            "version": VERSION,
            "vector": [0.5] * 8,
            "mentions": [{"entity_uid": "ent_1", "count": 1}],
            "names": [{"key": "ann", "text": "Ann", "first": 0, "last": 0, "alike": 0.9, "otherwise": 0.6}],
        }
    ],
    "scope_id": SPACE,
    "search": f"+searchable_in:({SPACE.lower()})^0 +content:(tea)",
    "seconds": 30,
    "slices": [{"status": "active", "alive": True}],
    "space_id": SPACE,
    "space_uid": SPACE,
    "statuses": ["pending", "blocked"],
    "tag_keys": ["milk", "tea"],
    "tags": [
        {
            "scope_id": SPACE,
            "key": "tea",
            "uid": "tag_1",
            "org_id": ORG,
            "name": "tea",
            "created_at": NOW,
            "by_uid": ACTOR,
        }
    ],
    "traces": [
        {
            "uid": "trc_1",
            "scope_id": SPACE,
            "name": "n",
            "kind": "goal_created",
            "message": "m",
            "ids": [GOAL],
            "details": "{}",
            "turn_key": "turn-1",
        }
    ],
    "org_ids": [ORG],
    "orders": [{"org_id": ORG, "uid": "evc_1", "uids": ["evt_1", "evt_2"]}],
    "made": [{"turn_key": "turn-1", "uid": GOAL, "operation": "goal.created"}],
    "revision": 1,
    "turn": TURN,
    "ends": True,
    "type_id": "survey",
    "turn_key": "turn-1",
    "turn_uid": None,
    "goal_uid": GOAL,
    "min_support": 1,
    "compared": 500,
    "least": 0.97,
    "locks": ["lesson:tool:search"],
    "lesson_keys": ["0" * 64],
    "subjects": ["tool:search"],
    "taught": [{"uid": LESSON, "first": True, "evidence": ["inv_1"]}],
    "against": [LESSON],
    "conflicts": [{"uid": LESSON, "other": LESSON}],
    "outcome_uid": "out_01JBXM3Z8K0QF3W4T9V2C7H5RD",
    "oldest": "inv_",
    "tool": "search",
    "goal_uids": [GOAL],
    "successes": [True, False],
    "silent_since": "trc_",
    "turns": [TURN],
    "types": None,
    "by_uid": ACTOR,
    "uid": GOAL,
    "uids": [OBSERVATION, GOAL],
    "user_id": None,
    "without": [OBSERVATION],
    "version": VERSION,
    "client_key": "k",
    "grantees": [ACTOR],
    "new_parent": True,
    "new_sources": True,
    "sources": [GOAL],
    "stretches": [{"low": "trc_01JBXM3Z8K", "high": "trc_01JBXM3Z8M"}],
    "changes": '{"status": "expired"}',
    "versions": [f"ver_{number}" for number in range(10)],
    "observation_id": OBSERVATION,
    "observation_ids": [OBSERVATION],
    "most_topics": 200,
    "topics": [
        {
            "scope_id": SPACE,
            "key": "wine",
            "uid": "topic_1",
            "org_id": ORG,
            "name": "wine",
            "created_at": NOW,
            "by_uid": ACTOR,
            "about": [{"place": 0, "uid": OBSERVATION}],
            "uids": [OBSERVATION],
            "own": True,
            "evidence": False,
        }
    ],
    "question_ids": ["qst_01JBXM3Z8K0QF3W4T9V2C7H5RD"],
    "name_key": "research wines",
    "released": [],
    "writable": [SPACE],
}

# Elsewhere what is looked for; in a filter of observations mostly empty.
_NO_SOURCE = {"client_key": None, "turn_key": None}
_FILTERED = (
    "count_observations_by_goal",
    "count_observations_by_tags",
    "count_observations_by_time",
    "list_observations_among",
    "list_observations_by_goal",
    "list_observations_by_tags",
    "list_observations_by_time",
    "list_observations_by_update",
    "rank_observations_by_text",
)

OWN: dict[str, dict[str, Any]] = {
    "transfer/list_nodes": {"after": ""},
    "erasure/find_person": {"key": "ann"},
    "erasure/find_data": {"person_id": ACTOR, "home_id": SPACE, "spellings": ["Ann"], "names": ["ann"]},
    "erasure/erase": {"tombstones": []},
    "transfer/begin_import": {"sha256": "0" * 64},
    "transfer/undo_import": {"before": 0},
    "transfer/write_nodes": {
        "rows": [{"properties": {"uid": GOAL, "org_id": ORG}, "is_space": False}],
        "before": 0,
        "done": 1,
    },
    "transfer/write_links": {
        "rows": [{"source": GOAL, "target": OBSERVATION, "type": "ON", "properties": {}}],
        "before": 1,
        "done": 2,
    },
    "transfer/write_labels": {
        "rows": [{"uid": GOAL, "labels": ["Goal"]}],
        "before": 2,
        "done": 3,
        "serving": "a",
        "slot_a": "hash",
        "slot_b": None,
    },
    **{f"scratch/{name}": _NO_SOURCE for name in _FILTERED},
    # Elsewhere a cursor; here the time, or the id, that what is deleted is older than.
    "jobs/delete_archived": {"before": NOW, "after_at": NOW, "after_uid": ""},
    "jobs/delete_traces": {"before": "trc_~"},
    "jobs/delete_events": {"before": "evt_~"},
    "jobs/delete_invocations": {"before": "inv_"},
    "jobs/close_abandoned_turns": {"before": "turn_"},
    "outcomes/record_outcome": {"turn_uid": "turn_1", "properties": {"uid": "out_1"}},
    "outcomes/list_outcomes": {"before_uid": "out_~"},
    "outcomes/list_outcomes_by_turn": {"turn_uid": "turn_1", "before_uid": "out_~"},
    "turns/store_failed_part": {"turn_uid": "turn_1"},
    "tools/track_invocations": {
        "turn_uid": "turn_1",
        "rows": [{"properties": {"uid": "inv_1"}, "parts": [], "observations": [OBSERVATION]}],
    },
    "tools/assign_invocations": {"turn_uid": "turn_1"},
    "tools/count_uses": {
        "rows": [
            {
                "scope_id": SPACE,
                "key": "search",
                "uid": "tool_1",
                "org_id": ORG,
                "name": "search",
                "by_uid": ACTOR,
                "uses": 1,
                "successes": 1,
                "now": NOW,
            }
        ]
    },
    **{
        f"tools/list_invocations_by_{way}": {"status": "failed", "turn_uid": "turn_1", "before_uid": "inv_~"}
        for way in ("time", "tool", "status", "goal", "turn")
    },
    "tools/count_invocations": {"status": None},
    # Elsewhere an optional bound.
    "goals/count_built_on": {"since": NOW},
    "questions/count_linked": {"since": NOW},
    "actions/list_actions_of_type": {"open": True, "owner": "agent"},
    # Elsewhere a cursor; here what the fields were.
    "scratch/expire_observations": {"before": '{"status": "active"}'},
    # Here the actors are ids, not what a token names.
    "embedding/claim_slot": {"terms": 1},
    "embedding/write_terms": {
        "rows": [{"uid": OBSERVATION, "content": "tea", "terms": "tea", "again": False}],
        "version": None,
    },
    "goals/count_settled_evidence": {"rows": [{"uid": GOAL, "progress": 0.5}]},
    "goals/create_goal": {"actors": [ACTOR]},
    "goals/list_own_goals": {"actors": [ACTOR]},
    # Elsewhere a filter that is mostly empty; here the way in.
    "scratch/list_observations_by_entities": {"entity_uids": ["ent_1", "ent_2"], **_NO_SOURCE},
    "scratch/count_observations_by_entities": {"entity_uids": ["ent_1", "ent_2"], **_NO_SOURCE},
    "scratch/link_conflicts": {
        "rows": [{"source_id": OBSERVATION, "target_id": OBSERVATION, "how": "declared", "kind": None}]
    },
    "journal/append_entries": {
        "versions": [{"turn_key": "turn-1", "mark": "key:turn-1", "uid": GOAL, "number": 1}]
    },
    "journal/claim_requests": {"rows": [{"key": "k", "uid": "req_1", "body_hash": "0" * 64}]},
    "journal/enter_turn": {"waiting_in": [SPACE], "most": 20},
    "summaries/compact_log": {"entries": ["trc_1"]},
    "summaries/create_summaries": {
        "rows": [{"uid": "sum_1", "of_uid": GOAL, "kind": "meso", "label": "v1", "refs": [OBSERVATION]}]
    },
    "lessons/find_near": {"drafts": [{"place": 0, "vector": [0.5] * 8}]},
    "lessons/list_lessons": {"statuses": ["active"], "before": "les_~"},
    "lessons/count_lessons": {"statuses": ["active"]},
    "lessons/lock_lessons_for_outcome": {"uids": [LESSON]},
    "lessons/learn": {
        "new": [
            {
                "properties": {"uid": LESSON, "scope_id": SPACE},
                "vector": None,
                "version": VERSION,
                "mentions": [],
                "names": [],
            }
        ],
        "changed": [{"properties": {"uid": LESSON}, "version": VERSION}],
    },
    "lessons/update_lessons": {"rows": [{"properties": {"uid": LESSON}, "version": VERSION}]},
    "memory/list_memories": {
        "tags": [],
        "kinds": [{"name": "fact", "before": "fact_~"}],
        "client_key": None,
        "statuses": ["active"],
    },
    "memory/count_memories": {
        "tags": [],
        "kinds": [{"name": "fact"}],
        "client_key": None,
        "statuses": ["active"],
    },
    "turns/gather_turn": {"pending": 5, "turn_key": "turn-1", "oldest": "inv_", "most": 100},
    "turns/finish_turn": {"properties": {"final_at": NOW}, "turn_uid": TURN["uid"]},
    "turns/find_overwritten": {"turn_uid": TURN["uid"], "since": NOW, "remarks": ["updated_at"]},
    "turns/find_exports": {"oldest": "exp_"},
    "turns/list_exports_of_turns": {"oldest": "exp_"},
    "turns/count_exports_of_turns": {"oldest": "exp_"},
    "turns/settle_pending_commit": {"status": "committed"},
    "memory/reserve_capacity": {"kind": "episode", "spared": "user_data", "new": 2, "most": 3},
    "jobs/delete_exports": {"exports_before": "exp_", "parts_before": "pcm_"},
    "turns/list_turns": {"before_uid": "turn_~", "statuses": ["open"]},
    "turns/count_turns": {"statuses": ["open"]},
    "turns/list_trace_of_spaces": {"before": "trc_~", "oldest": "trc_"},
    "turns/list_trace": {"oldest": "trc_"},
    "turns/list_trace_of_turns": {"oldest": "trc_"},
    "turns/count_trace": {"oldest": "trc_"},
    "turns/count_trace_by_key": {"oldest": "trc_"},
    "turns/find_remaining_copies": {
        "words": ["see lisbon"],
        "quotes": ["see lisbon"],
        "unfinished": ["pending", "escalated"],
    },
    "turns/forget_in_turns": {
        "exports": ["exp_1"],
        "turns": [TURN["uid"]],
        "parts": [{"uid": "pcm_1", "former": "{}", "payload": "{}"}],
    },
    "summaries/list_action_logs": {"before": NOW},
    "summaries/list_old_messages": {
        "conversations": [{"scope_id": SPACE, "key": "chat", "upto_uid": ""}],
        "characters": 1000,
        "newest": 10,
        "most": 100,
    },
    "summaries/lock_conversations": {"due": 30},
    "summaries/write_conversation_summaries": {
        "rows": [
            {
                "scope_id": SPACE,
                "key": "chat",
                "left": 10,
                "made": {"uid": "sum_1"},
                "summary": {"text": "12 messages.", "refs": ["msg_1"]},
            }
        ]
    },
    "summaries/list_goal_logs": {"most": 100},
    "summaries/read_conversation": {"key": "chat", "newest": 200},
    "summaries/read_words": {"keys": [{"scope_id": SPACE, "text_key": "0" * 64}]},
    "goals/list_related": {"types": [{"scope_id": SPACE, "key": "household"}]},
    "goals/suggest_goals": {"hub": 50, "near": [GOAL]},
    "goals/replace_topics": {"rows": [{"goal_id": GOAL, "topics": SAMPLES["topics"]}]},
    "scratch/end_conflicts": {"rows": [{"uid": OBSERVATION, "frame_key": "0" * 32}]},
    "sessions/lock_session": {
        "item": OBSERVATION,
        "texts": [{"scope_id": SPACE, "keys": ["0" * 64]}],
        "vector": [0.5] * 8,
        "task": "tea",
        "task_vector": [0.5] * 8,
    },
    "sessions/list_sessions": {"entity": "tea"},
    "sessions/count_sessions": {"entity": "tea"},
    "sessions/list_correlations": {"only_earlier": True, "shared": 25, "unfinished": 25},
    "sessions/list_unfinished": {"from": "ses_2"},
    "sessions/write_checkpoint": {
        "uid": "ses_01JBXM3Z8K0QF3W4T9V2C7H5RD",
        "session": {"last_activity": NOW},
        "checkpoint": {"uid": "ckpt_1", "key": "k", "session_uid": "ses_01JBXM3Z8K0QF3W4T9V2C7H5RD"},
        "most": 10,
    },
    "sessions/read_patterns": {"since": "", "upto": "~", "most": 500, "first": 20},
    "sessions/read_checkpoint": {"checkpoint": "k"},
    "sessions/inspect_sessions": {"required": ["item_id"]},
    "sessions/lock_sessions": {"uids": ["ses_01JBXM3Z8K0QF3W4T9V2C7H5RD"], "required": ["item_id"]},
    "sessions/write_repairs": {
        "rows": [
            {
                "uid": "ses_01JBXM3Z8K0QF3W4T9V2C7H5RD",
                "session": {"items": 1},
                "slots": [{"ref": "r", "properties": {"pinned": False}}],
                "deleted": ["r"],
                "left": [{"ref": "r", "reason": "repaired", "score": None}],
            }
        ]
    },
    "sessions/forget_in_sessions": {
        "uids": [OBSERVATION],
        "texts": [{"scope_id": SPACE, "text_key": "0" * 64}],
    },
    "sessions/count_accesses": {
        "sessions": [
            {
                "uid": "ses_1",
                "items": [{"item_id": OBSERVATION, "since": NOW, "number": 2, "at": NOW}],
            }
        ]
    },
    "sessions/append_accesses": {
        "accesses": [
            {
                "session": "ses_1",
                "org_id": "org_1",
                "scope_id": SPACE,
                "properties": {"uid": "acc_1", "session_uid": "ses_1"},
            }
        ]
    },
    "outbox/list_events": {"after": 0},
    "outbox/acknowledge_events": {"seq": 1},
    "outbox/reset_consumer": {"seq": 1},
    "outbox/end_dead_letter": {"reason": "too large"},
    # Here a place; else the name of an agent.
    "outbox/move_publisher": {
        "key": "nats",
        "rows": [
            {
                "org_id": ORG,
                "uid": "ecn_1",
                "place": 1,
                "failing_uid": None,
                "attempts": 0,
                "dead": [{"uid": "evt_1", "seq": 1, "attempts": 3, "reason": "too large"}],
            }
        ],
    },
    "outbox/list_dead_letters": {"uid": None},
    "sessions/list_events": {"after": ""},
    "sessions/list_accesses": {"outcome": "allowed", "before": "acc_~"},
    "sessions/join_turn": {"turn_uid": "turn_1"},
    "sessions/list_slots": {"before_at": NOW, "before_uid": "~"},
    "sessions/start_session": {
        "task_vector": [0.5] * 8,
        "session": {
            "uid": "ses_1",
            "scope_id": SPACE,
            "key": "mine",
            "status": "active",
            "last_activity": NOW,
        },
    },
    "sessions/write_digest": {
        "topics": [
            {
                "scope_id": SPACE,
                "key": "tea",
                "uid": "topic_1",
                "spelled": "Tea",
                "entity": True,
                "theme": True,
                "durable": True,
            }
        ],
        "keys": ["tea"],
        "is_empty": False,
    },
    "sessions/find_correlated": {
        "hubs": 20,
        "fan": 50,
        "candidates": 50,
        "since": "ses_",
        "upto": "ses_~",
        "pull": {"topic": 1.0, "goal": 2.0, "memory": 2.0},
    },
    "sessions/write_correlations": {
        "rows": [{"uid": "ses_2", "is_later": True, "properties": {"correlation_score": 0.5}}]
    },
    "sessions/link_devices": {"across": True, "since": "ses_", "upto": "ses_~"},
    "sessions/write_session": {
        "task": [{"vector": [0.5] * 8}],
        "topics_may_differ": True,
        "is_text_gone": True,
        "redacted": [OBSERVATION],
        "session": {"items": 1},
        "ended": [{"item_id": OBSERVATION, "reason": "capacity", "score": 0.5}],
        "fragments": [{"properties": {"uid": "frag_1", "scope_id": SPACE}, "vector": [0.5] * 8}],
        "held": [{"memory_uid": OBSERVATION, "properties": {"item_id": OBSERVATION}}],
        "changed": [{"item_id": OBSERVATION, "properties": {}, "content": "tea", "vector": None}],
    },
    "search/find_names": {"keys": ["ann", "ann smith"]},
    "search/compare_memories": {"first": OBSERVATION, "vector": None, "uids": [OBSERVATION]},
    "search/search_memory": {
        "kinds": ["fact", "message", "observation"],
        "spoken": ["message", "message_passage"],
        "vector": [0.5] * 8,
        "speech": [0.5] * 8,
        "looks": [
            {
                "kinds": ["fact", "observation", "message"],
                "sorts": [["fact", "observation"], ["message"]],
                "spoken": False,
            },
            {"kinds": ["message_passage"], "sorts": [["message_passage"]], "spoken": True},
        ],
        "groups": [{"spaces": [SPACE], "text": f"+searchable_in:({SPACE.lower()})^0 +content:(tea)"}],
        "entity_uids": ["ent_1"],
        "near": 1000,
        "near_together": 1000,
        "enough": 10,
        "pool": 100,
        "keep": 60,
        "expand": 40,
        "offset": 60,
        "hub": 50,
        "filtered": ["filter"],
        "tags": ["tea"],
        "about": ["ent_1"],
        "mentions": ["declared", "extracted"],
    },
    "search/search_plans": {
        "kinds": ["goal", "question", "story"],
        "vector": [0.5] * 8,
        "groups": [{"spaces": [SPACE], "text": f"+searchable_in:({SPACE.lower()})^0 +content:(tea)"}],
        "near": 1000,
        "pool": 100,
        "tags": ["tea"],
        "terms": [{"key": "tea", "weight": 0.5}],
    },
    "embedding/write_vectors": {"rows": [{"uid": OBSERVATION, "content": "tea", "vector": [0.5] * 8}]},
    "goals/lock_ancestors": {"types": ["CHILD_OF"]},
    "actions/link_evidence": {"rows": [{"uid": "act_1", "refs": [OBSERVATION, "a book"], "at": NOW}]},
    "actions/rank_pending_actions": {"until": "~", "client_key": None},
    "actions/list_pending_actions_by_due": {"until": "~", "client_key": None},
    "actions/list_pending_actions_by_utility": {"client_key": None},
    "actions/count_pending_actions": {"client_key": None},
    "goals/list_goals": {"client_key": None},
    "goals/list_goals_by_time": {"client_key": None},
    "goals/count_goals": {"client_key": None},
    "actions/find_people": {"keys": ["hanna"], "scope_ids": [SPACE]},
    "actions/find_overdue_actions": {
        "types": [{"type": "reminder", "before": NOW, "org_id": None, "without": [ORG]}]
    },
    "proposals/list_undecided": {"status": "open"},
    "registry/count_retired": {"types": ["reminder"]},
    "registry/save_definitions": {
        "rows": [
            {
                "type_id": "survey",
                "number": 1,
                "properties": {
                    "registry": "plans",
                    "type_id": "survey",
                    "number": 1,
                    "type_uid": "aty_1",
                    "hash": "0" * 64,
                    "definition": "{}",
                    "retired_statuses": "{}",
                    "state": "in_force",
                },
            }
        ],
        "events": [],
    },
    "actions/find_awaiting_actions": {"types": ["follow_up"]},
    "actions/count_overdue_actions": {"types": ["reminder"]},
    "questions/list_questions": {"owner": None},
    "proposals/create_proposal": {"properties": {"uid": "prop_1", "scope_id": SPACE, "org_id": ORG}},
    "proposals/open_proposals": {
        "rows": [
            {
                "name_key": "research wines",
                "properties": {
                    "uid": "prop_1",
                    "scope_id": SPACE,
                    "org_id": ORG,
                    "name_key": "research wines",
                },
                "version": VERSION,
            }
        ]
    },
    "proposals/link_use": {
        "rows": [{"action_id": "act_1", "proposal_id": "prop_1", "name": "odd", "owner": None}]
    },
    "questions/list_stories": {"before_uid": "story_~"},
    "questions/list_stories_by_question": {"before_uid": "story_~"},
    "questions/create_story": {"properties": {"uid": "story_1", "scope_id": SPACE, "question_id": "qst_1"}},
    "questions/link_story": {"rows": [{"observation_id": OBSERVATION, "confidence": 0.5, "position": 0}]},
}


def sample_params(query: Query) -> dict[str, Any]:
    """Parameters of the right types for a query; a new name has to be added above."""
    own = OWN.get(query.name, {})
    missing = query.params - SAMPLES.keys() - own.keys()
    assert not missing, f"{query.name}: tests/contract/samples.py knows no value for {sorted(missing)}"
    return {name: own.get(name, SAMPLES.get(name)) for name in query.params}
