// What the caller's turn of a name or an id is known by, for a call that names a session: a name stands for one turn in each session, and for one that is in none.
// variables: s
coalesce(
  head(COLLECT { MATCH (turn:Turn {uid: $turn_key}) WHERE turn.scope_id = $home RETURN CASE WHEN turn.created_at <= $free_before THEN turn.uid ELSE turn.key END }),
  head(COLLECT {
    MATCH (s)<-[:IN_SESSION]-(turn:Turn)
    WHERE turn.scope_id = $home AND (turn.key = $turn_key OR turn.former_key = $turn_key AND turn.created_at > $free_before)
    RETURN turn.key
    ORDER BY turn.uid DESC
    LIMIT 1
  }),
  head(COLLECT { MATCH (turn:Turn {scope_id: $home, key: $turn_key}) WHERE NOT EXISTS { (turn)-[:IN_SESSION]->(:Session) } RETURN turn.key })
)
