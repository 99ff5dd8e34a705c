// The fields of a lesson: those of a durable memory, the outcomes for and against it, and what contradicts it.
// variables: m
// part: memory_fields(m)
, .says, .source, .subject, .holds, .aspect, .lesson_key, .tools, .support, .contradiction, .conflicting, .retired_reason,
retired_at: toString(m.retired_at),
contradicts: [(m)-[against:CONTRADICTS]-(other:Lesson) WHERE against.until IS NULL AND other.scope_id = m.scope_id AND other.status <> 'forgotten' | other.uid]
