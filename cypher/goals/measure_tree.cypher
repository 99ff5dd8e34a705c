// Counts the goals above one goal and the levels below another one; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
CALL () {
  MATCH (parent:Goal {uid: $parent_id})
  WHERE parent.org_id = $org_id
  MATCH p = (parent) ((:Goal)-[link:CHILD_OF]->(:Goal) WHERE link.until IS NULL){0,20} (:Goal)
  RETURN coalesce(max(length(p)), 0) AS above
}
CALL () {
  MATCH (g:Goal {uid: $goal_id})
  WHERE g.org_id = $org_id
  MATCH p = (g) ((:Goal)<-[link:CHILD_OF]-(:Goal) WHERE link.until IS NULL){0,20} (:Goal)
  RETURN coalesce(max(length(p)), 0) AS below
}
RETURN above, below
