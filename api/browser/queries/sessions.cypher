// Sessions: what they hold, the goals they worked on, and how they are related
// The ten newest sessions of working memory.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (session:Session {scope_id: space.uid})
WITH session ORDER BY session.uid DESC LIMIT 10
RETURN session,
  COLLECT { MATCH held = (session)-[:HOLDS]->(:Memory) RETURN held LIMIT 25 } AS holds,
  COLLECT { MATCH goal = (session)-[:WORKED_ON]->(:Goal) RETURN goal LIMIT 10 } AS goals,
  COLLECT { MATCH earlier = (session)-[:CORRELATES_WITH]->(:Session) RETURN earlier LIMIT 10 } AS related
