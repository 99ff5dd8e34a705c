// The newest observations and their tags
// The active observations of the scratch page, connected by their tags.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (observation:Observation {scope_id: space.uid, status: 'active'}) WHERE observation.uid IS NOT NULL
WITH observation ORDER BY observation.uid DESC LIMIT 24
OPTIONAL MATCH tagged = (observation)-[:TAGGED]->(:Tag)
RETURN observation, tagged
