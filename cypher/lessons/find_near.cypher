// For each of some vectors the newest lessons of a space from feedback, retired ones too, whose vectors are near; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND [true, false] AS live
  CALL (live) {
    MATCH (m:Remembered)
    USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
    WHERE m.scope_id = $scope_id AND m.kind = 'lesson' AND m.live = live AND m.uid IS NOT NULL AND m.scope_id IN $readable
    RETURN m
    // All properties, although most are constant here: only then does the planner use the order of the index.
    ORDER BY m.scope_id DESC, m.kind DESC, m.live DESC, m.uid DESC
    LIMIT $compared
  }
  WITH m
  WHERE m.source = 'feedback'
  WITH m, CASE $encoder WHEN m.embedded_a THEN m.embedding_a WHEN m.embedded_b THEN m.embedding_b END AS vector
  WHERE vector IS NOT NULL
  RETURN collect({m: m, vector: vector}) AS lessons
}
UNWIND $drafts AS draft
UNWIND lessons AS lesson
WITH draft, lesson.m AS m, 2 * vector.similarity.cosine(lesson.vector, draft.vector) - 1 AS cosine
WHERE cosine >= $least
WITH draft, m, cosine
ORDER BY draft.place, cosine DESC, m.uid
RETURN collect({place: draft.place, cosine: cosine, uid: m.uid, key: m.lesson_key, statement: m.content, says: m.says, source: m.source,
                subject: m.subject, holds: m.holds, tools: m.tools, status: m.status}) AS items
