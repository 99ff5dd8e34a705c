// The history of a goal, as a table
// Its versions, newest first: the fields that each change changed, when, and by whom.
// which goal
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid}) WHERE goal.status IN ['pending', 'in_progress', 'blocked']
WITH goal ORDER BY goal.priority_rank DESC, goal.uid DESC LIMIT 1
// end which
MATCH (version:Version)-[:OF]->(goal)
OPTIONAL MATCH (actor:Actor {uid: version.by_uid})
RETURN version.number AS version, version.created_at AS at, actor.name AS by, version.fields AS fields
ORDER BY version DESC
LIMIT 100
