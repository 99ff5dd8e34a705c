// What a context shows of a memory that a session holds, or held when it ended.
// variables: h, m
.uid, .scope_id, .by_uid, .kind, .content, .essential, .created_at, .happened_at, .speaker, confidence: CASE WHEN m:Fragment THEN h.confidence ELSE m.confidence END,
item_id: h.item_id, salience: h.salience, admission_time: h.since,
// A long one is shown by its first part.
passage: head(COLLECT { MATCH (m)<-[:PART_OF]-(p:Passage) WHERE p.place = 1 RETURN p {.place, .total, .start, .end} })
