// The fields of a durable memory. Times are text: the driver is slow to build its temporal values.
// variables: m
.uid, .scope_id, .kind, .content, .essential, .forbids, .requires_confirmation, .tags, .entities, .confidence, happened_at: toString(m.happened_at), .speaker,
.conversation, .derived_from, .metadata, .client_key, .status, .superseded_by, created_at: toString(m.created_at),
updated_at: toString(m.updated_at), .by_uid, .version, .live, .importance, .retention, retained_until: toString(m.retained_until)
