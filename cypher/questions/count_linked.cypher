// Counts the observations that were linked to a readable story after a time and still are, readable or not.
// mode: read, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (s:Story {uid: $uid})<-[link:EVIDENCES]-(:Observation)
WHERE s.scope_id IN $readable AND link.until IS NULL AND link.since > $since
RETURN count(link) AS linked
