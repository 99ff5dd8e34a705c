// The graph can be walked: turns lead to what they wrote, observations to the actions that they support, actors and
// spaces to their organisation. Events, versions and trace entries name the turn's id instead of the client's key.
DROP INDEX outbox_event_turn IF EXISTS;
CREATE INDEX outbox_event_turn_uid IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.turn_uid, n.uid);
// Turns of an organisation by the client's key: two actors may choose the same.
CREATE INDEX turn_org_key IF NOT EXISTS FOR (n:Turn) ON (n.org_id, n.key);

MATCH (entry:TraceEvent) WHERE entry.turn_key IS NOT NULL
CALL (entry) {
  OPTIONAL MATCH (turn:Turn)-[:LOGGED]->(entry)
  SET entry.turn_uid = turn.uid
  REMOVE entry.turn_key
} IN TRANSACTIONS OF 1000 ROWS;

// A turn is in the private space of the actor that named it, who is also the actor of its events and versions.
MATCH (version:Version) WHERE version.turn_key IS NOT NULL
CALL (version) {
  OPTIONAL MATCH (actor:Actor {uid: version.by_uid})
  OPTIONAL MATCH (turn:Turn {scope_id: actor.home_id, key: version.turn_key})
  SET version.turn_uid = turn.uid
  REMOVE version.turn_key
} IN TRANSACTIONS OF 1000 ROWS;

// The first event of a turn about a node says when and how the turn wrote the node; that of a new node comes first.
MATCH (event:OutboxEvent) WHERE event.turn_key IS NOT NULL
CALL (event) {
  OPTIONAL MATCH (actor:Actor {uid: event.by_uid})
  OPTIONAL MATCH (turn:Turn {scope_id: actor.home_id, key: event.turn_key})
  SET event.turn_uid = turn.uid
  WITH event, turn
  CALL (event, turn) {
    WITH event, turn WHERE turn IS NOT NULL
    MATCH (n:Memory|Goal|PendingAction|Question|Story|RegistryProposal|ActionType {uid: event.aggregate})
    MERGE (turn)-[made:MADE]->(n)
      ON CREATE SET made.since = event.created_at, made.operation = event.type
    WITH event, made
    WHERE event.created_at < made.since OR event.created_at = made.since AND event.type IN [
      'observation.added', 'goal.created', 'pending_action.created', 'question.asked', 'story.created',
      'registry_proposal.submitted', 'mandate.remembered', 'capability.remembered'
    ]
    SET made.since = event.created_at, made.operation = event.type
  }
  REMOVE event.turn_key
} IN TRANSACTIONS OF 1000 ROWS;

// Of the references of an action, those to observations in a space that the creator of the action may read.
MATCH (action:PendingAction) WHERE size(action.evidence_refs) > 0
CALL (action) {
  UNWIND range(0, size(action.evidence_refs) - 1) AS position
  MATCH (o:Observation&Memory {uid: action.evidence_refs[position]})
  WHERE EXISTS {
    MATCH (:Actor {uid: action.by_uid})-[may:MAY]->(:Space {uid: o.scope_id}) WHERE may.until IS NULL
  }
  WITH action, o, min(position) AS position
  WHERE NOT EXISTS { (o)-[:EVIDENCES]->(action) }
  CREATE (o)-[:EVIDENCES {confidence: o.confidence, weight: 1.0, position: position, gain: 0.0,
                          since: action.updated_at, by: action.by_uid}]->(action)
} IN TRANSACTIONS OF 1000 ROWS;

MATCH (member:Actor|Space) WHERE NOT EXISTS { (member)-[:IN]->(:Organisation) }
CALL (member) {
  MATCH (org:Organisation {uid: member.org_id})
  MERGE (member)-[:IN]->(org)
} IN TRANSACTIONS OF 1000 ROWS;
