// A lesson is learned once in its space; lessons about one subject are found together.
CREATE CONSTRAINT lesson_scope_id_lesson_key IF NOT EXISTS FOR (n:Lesson) REQUIRE (n.scope_id, n.lesson_key) IS UNIQUE;
CREATE INDEX lesson_scope_id_subject IF NOT EXISTS FOR (n:Lesson) ON (n.scope_id, n.subject);
