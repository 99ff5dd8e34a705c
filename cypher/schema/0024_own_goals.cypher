// The goals that an actor created, and those for a person, most urgent first, without those of others in the same spaces.
CREATE INDEX goal_creator IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.by_uid, n.status, n.priority_rank, n.uid);
CREATE INDEX goal_person IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.person_id, n.status, n.priority_rank, n.uid);
// Goals of before get the person whom they are for. A second run sets those of the rest only.
MATCH (g:Goal)-[:FOR]->(p:Person) WHERE g.person_id IS NULL
CALL (g, p) {
  SET g.person_id = p.uid
} IN TRANSACTIONS OF 1000 ROWS;
