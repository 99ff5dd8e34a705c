// The fields of a checkpoint. Times are text: the driver is slow to build its temporal values.
// variables: c
.uid, .key, .session_uid, .task, .focus, .item_ids, created_at: toString(c.created_at)
