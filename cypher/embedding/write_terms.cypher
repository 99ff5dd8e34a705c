// Stores new terms of texts that are still the same, and how far the walk through all texts has come; one row with their number.
// mode: write, returns: one, scope: system - the job serves every organisation
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
SET slots.terms_after = $after, slots.terms = coalesce($version, slots.terms)
WITH slots
CALL (slots) {
  UNWIND $rows AS row
  MATCH (m:Memory|Goal|Question|Story {uid: row.uid})
  // This write locks the node before the check: its text may have been changed or forgotten meanwhile.
  SET m.terms = m.terms
  WITH m, row
  WHERE m.content = row.content AND m.terms IS NOT NULL
  SET m.terms = row.terms
  // The encoder may know more or less of it than the one that made its vector: it is encoded again.
  FOREACH (_ IN CASE WHEN row.again AND m.searchable_in IS NOT NULL THEN [1] ELSE [] END | SET m:Unembedded)
  RETURN count(m) AS written
}
RETURN written
