// Links a turn, and the actions that wait for an unknown type, to proposals.
// mode: write, returns: none, scope: organisation
CYPHER 25
CALL () {
  UNWIND $turns AS row
  // part: turn_by_name(row, turn)
  WITH turn
  UNWIND $uids AS uid
  MATCH (p:RegistryProposal {uid: uid})
  WHERE p.org_id = $org_id
  MERGE (turn)-[proposed:PROPOSED]->(p)
    ON CREATE SET proposed.at = $now
}
CALL () {
  UNWIND $rows AS row
  MATCH (action:PendingAction {uid: row.action_id})
  WHERE action.org_id = $org_id
  MATCH (p:RegistryProposal {uid: row.proposal_id})
  WHERE p.org_id = $org_id
  CREATE (action)-[:AWAITS {name: row.name, owner: row.owner, since: $now, by: $actor_id}]->(p)
}
FINISH
