// The last place that readers may go by, of each of some organisations that have one; one row.
// mode: read, returns: one, scope: system - a process looks for all of its streams at once
CYPHER 25
UNWIND $org_ids AS org_id
MATCH (counter:EventCounter {org_id: org_id})
RETURN collect(counter {.org_id, seq: counter.told}) AS items
