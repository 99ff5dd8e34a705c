// People, places and things, and what mentions them
// The ten entities that most memories mention, each with its newest ten memories.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (entity:Entity {org_id: org.uid})<-[mention:MENTIONS {scope_id: space.uid}]-()
WITH entity, count(mention) AS mentions ORDER BY mentions DESC, entity.uid LIMIT 10
CALL (entity) {
  MATCH mentioned = (memory:Memory)-[:MENTIONS]->(entity)
  RETURN mentioned ORDER BY memory.uid DESC LIMIT 10
}
RETURN mentioned
