// The newest observations and their tags
// The scratch page: what is active, and which tags hold it together.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (observation:Observation {scope_id: space.uid, status: 'active'}) WHERE observation.uid IS NOT NULL
WITH observation ORDER BY observation.uid DESC LIMIT 20
OPTIONAL MATCH tagged = (observation)-[:TAGGED]->(:Tag)
RETURN observation, tagged
