// What did we learn
// The lessons, with the outcomes that taught, confirmed or contradict them, and the calls of tools that show it.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (lesson:Lesson {scope_id: space.uid}) WHERE lesson.uid IS NOT NULL AND lesson.retired_at IS NULL
WITH lesson ORDER BY lesson.confidence DESC, lesson.uid DESC LIMIT 30
OPTIONAL MATCH learned = (turn:Turn)-[:RESULTED_IN]->(:Outcome)-[said:TAUGHT|SUPPORTS|CONTRADICTS]->(lesson)
RETURN lesson, learned,
  COLLECT {
    MATCH called = (turn)-[:INVOKED]->(call:ToolInvocation)
    WHERE call.uid IN said.evidence
    RETURN called LIMIT 10
  } AS calls
