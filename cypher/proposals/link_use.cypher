// Links a turn, and the actions that wait for an unknown type, to proposals.
// mode: write
// scope: organisation
// params: org_id, actor_id, turns, uids, rows, now
// returns: none
CYPHER 25
CALL () {
  UNWIND $turns AS row
  // part: turn_by_name(row, turn)
  OPTIONAL MATCH (aged:Turn {uid: row.key})
  WHERE aged.scope_id = row.scope_id AND aged.key <> aged.uid AND aged.created_at <= row.free_before
  SET aged.former_key = aged.key, aged.key = aged.uid
  WITH *
  OPTIONAL MATCH (former:Turn {scope_id: row.scope_id, key: row.key})
  WHERE former.created_at <= row.free_before AND former.uid <> row.key
  SET former.former_key = row.key, former.key = former.uid
  MERGE (turn:Turn {scope_id: row.scope_id, key: row.key})
    ON CREATE SET turn.uid = row.uid, turn.org_id = $org_id, turn.name = row.name, turn.created_at = row.now,
                  turn.by_uid = row.by_uid, turn.updated_at = row.now, turn.version = 1, turn.status = 'open',
                  turn.follows_uid = former.uid
  WITH *
  CALL (row, turn) {
    WITH row, turn
    WHERE turn.uid = row.uid
    // Inside a call of its own, so that the planner walks the index backwards instead of sorting all turns of the space.
    CALL (row) {
      MATCH (last:Turn)
      USING INDEX SEEK last:Turn(scope_id, uid)
      WHERE last.scope_id = row.scope_id AND last.uid < row.uid
      RETURN last
      ORDER BY last.scope_id DESC, last.uid DESC
      LIMIT 1
    }
    CREATE (last)-[:NEXT]->(turn)
  }
  // end part
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
