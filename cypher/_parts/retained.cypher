// Whether an observation is within its days in the archive, or is kept because a history needs it.
// variables: o
o.archived_at IS NULL OR o.archived_at > $archived_before OR NOT o.status IN ['expired', 'archived'] OR coalesce(o.pinned, false)
// What is or was evidence belongs to the history of what it is evidence of, and a summary rests on it.
OR EXISTS { (o)-[:EVIDENCES]->() } OR EXISTS { (o)<-[:RESTS_ON]-() }
// A contradiction belongs to the history of the other side too.
OR EXISTS {
  MATCH (o)-[:CONTRADICTS]-(other:Observation)
  WHERE other.archived_at IS NULL OR other.archived_at > $archived_before OR EXISTS { (other)-[:EVIDENCES]->() }
}
