// What the newest turn of the caller in a session is known by that has a name; an earlier one has lost the name to another session.
// variables: s
head(COLLECT {
  MATCH (s)<-[:IN_SESSION]-(turn:Turn)
  WHERE turn.scope_id = $home AND (turn.key = $turn_key OR turn.former_key = $turn_key AND turn.created_at > $free_before)
  RETURN turn.key
  ORDER BY turn.uid DESC
  LIMIT 1
})
