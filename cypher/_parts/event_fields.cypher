// The fields of a change in the audit log, with the turn's id and key, and the names of the changed fields.
// variables: e
.uid, .by_uid, .type, .aggregate, .aggregate_version, .data, .turn_uid, at: toString(e.created_at),
turn_key: head(COLLECT { MATCH (turn:Turn {uid: e.turn_uid}) RETURN coalesce(turn.former_key, turn.key) }),
fields: head(COLLECT { MATCH (v:Version {of_uid: e.aggregate, number: e.aggregate_version}) RETURN v.fields })
