// A page of all that is searched, by id, and those among them that can be found without an encoder's vector in a slot; one row.
// mode: read
// scope: system - the slots belong to the database
// params: slot, encoder, after, limit
// returns: one
CYPHER 25
// part: searched_page(m)
CALL () {
  MATCH (m:Memory)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
  UNION ALL
  MATCH (m:Goal)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
  UNION ALL
  MATCH (m:Question)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
  UNION ALL
  MATCH (m:Story)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
}
WITH m
ORDER BY m.uid
LIMIT $limit
// end part
WITH collect(m) AS page
RETURN size(page) AS looked, page[-1].uid AS last_uid,
       [m IN page
        WHERE m.searchable_in IS NOT NULL AND coalesce(CASE $slot WHEN 'b' THEN m.embedded_b ELSE m.embedded_a END, '') <> $encoder
        | m {.uid, .content, .speaker}] AS items
