// How sure each lesson is, as a table
// One row for each lesson: how many outcomes speak for it and against it, and what tools it is about.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (lesson:Lesson {scope_id: space.uid}) WHERE lesson.uid IS NOT NULL
RETURN lesson.name AS lesson, lesson.says AS says, lesson.confidence AS confidence, lesson.support AS outcomes_for,
  lesson.contradiction AS outcomes_against, lesson.tools AS tools, lesson.retired_at AS retired_at
ORDER BY confidence DESC, lesson
LIMIT 100
