// The fields of an organisation's override of an action type.
// variables: t
.uid, .scope_id, .type_id, .definition, .draft, .revision, .by_uid, .version, since: toString(t.since),
created_at: toString(t.created_at), updated_at: toString(t.updated_at)
