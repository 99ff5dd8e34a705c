// Which of some texts were forgotten in their spaces, and what some messages say; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $keys AS row
  MATCH (t:Tombstone {scope_id: row.scope_id, text_key: row.text_key})
  WHERE t.scope_id IN $readable
  RETURN collect(t {.scope_id, .text_key}) AS forgotten
}
CALL () {
  UNWIND $uids AS uid
  MATCH (m:Message&Memory {uid: uid})
  WHERE m.scope_id IN $readable
  RETURN collect(m {.uid, .content}) AS said
}
RETURN forgotten, said
