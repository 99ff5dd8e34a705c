// The fields of an observation. Times that are never null are text: the driver is slow to build its temporal values.
// variables: o
.uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
.source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
.archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds
