// An action that a user owns is one person's, and that person finds it in whatever space it lies.
CREATE INDEX pending_action_person IF NOT EXISTS FOR (n:PendingAction) ON (n.person_id, n.open, n.sort_key);
CREATE INDEX pending_action_person_due IF NOT EXISTS FOR (n:PendingAction) ON (n.person_id, n.open, n.due_key);
// Actions of before get their person where the graph knows one: the person who wrote it, the one whose goal it is for, or the
// one whose private space it is in. A second run links the rest only.
MATCH (a:PendingAction) WHERE NOT EXISTS { (a)-[:FOR]->(:Actor) } AND a.owner = 'user'
CALL (a) {
  WITH a, coalesce(
    head(COLLECT { MATCH (p:Actor {uid: a.by_uid}) WHERE p.kind = 'person' RETURN p.uid }),
    head(COLLECT { MATCH (a)-[:ADVANCES]->(:Goal)-[:FOR]->(p:Actor) WHERE p.kind = 'person' RETURN p.uid ORDER BY p.uid }),
    head(COLLECT {
      MATCH (s:Space {uid: a.scope_id})<-[:MAY]-(p:Actor)
      WHERE p.home_id = s.uid AND p.kind = 'person'
      RETURN p.uid
    })
  ) AS person_id
  MATCH (p:Actor {uid: person_id})
  SET a.person_id = person_id
  CREATE (a)-[:FOR]->(p)
} IN TRANSACTIONS OF 1000 ROWS;
