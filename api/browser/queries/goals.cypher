// All goals and how they belong together
// The goals that are not finished, with what they are part of and what they were derived from.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid}) WHERE goal.status IN ['pending', 'in_progress', 'blocked']
WITH goal ORDER BY goal.priority_rank DESC, goal.uid DESC LIMIT 100
OPTIONAL MATCH above = (goal)-[link:CHILD_OF|DERIVED_FROM WHERE link.until IS NULL]->(:Goal)
RETURN goal, above
