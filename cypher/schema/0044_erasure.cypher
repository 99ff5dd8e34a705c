// What is about a person is found by indexes when it is erased: what an actor wrote in a space, which is also all that a space has.
CREATE INDEX checkpoint_author IF NOT EXISTS FOR (n:Checkpoint) ON (n.scope_id, n.by_uid);
CREATE INDEX context_receipt_author IF NOT EXISTS FOR (n:ContextReceipt) ON (n.scope_id, n.by_uid);
CREATE INDEX event_consumer_author IF NOT EXISTS FOR (n:EventConsumer) ON (n.scope_id, n.by_uid);
CREATE INDEX goal_author IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.by_uid);
CREATE INDEX memory_author IF NOT EXISTS FOR (n:Memory) ON (n.scope_id, n.by_uid);
CREATE INDEX outcome_author IF NOT EXISTS FOR (n:Outcome) ON (n.scope_id, n.by_uid);
CREATE INDEX pending_action_author IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.by_uid);
CREATE INDEX pending_commit_author IF NOT EXISTS FOR (n:PendingCommit) ON (n.scope_id, n.by_uid);
CREATE INDEX question_author IF NOT EXISTS FOR (n:Question) ON (n.scope_id, n.by_uid);
CREATE INDEX result_part_author IF NOT EXISTS FOR (n:ResultPart) ON (n.scope_id, n.by_uid);
CREATE INDEX session_author IF NOT EXISTS FOR (n:Session) ON (n.scope_id, n.by_uid);
CREATE INDEX state_export_author IF NOT EXISTS FOR (n:StateExport) ON (n.scope_id, n.by_uid);
CREATE INDEX story_author IF NOT EXISTS FOR (n:Story) ON (n.scope_id, n.by_uid);
CREATE INDEX summary_author IF NOT EXISTS FOR (n:Summary) ON (n.scope_id, n.by_uid);
CREATE INDEX tool_invocation_author IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.by_uid);
CREATE INDEX turn_author IF NOT EXISTS FOR (n:Turn) ON (n.scope_id, n.by_uid);
CREATE INDEX version_scope IF NOT EXISTS FOR (n:Version) ON (n.scope_id, n.uid);
// What names somebody as its user, its speaker or its person.
CREATE INDEX goal_user IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.user_id);
CREATE INDEX observation_user IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.user_id);
CREATE INDEX remembered_speaker IF NOT EXISTS FOR (n:Remembered) ON (n.scope_id, n.speaker);
CREATE INDEX session_person IF NOT EXISTS FOR (n:Session) ON (n.scope_id, n.person_id);
