// A page of all that is searched, by id, and those among them that can be found without an encoder's vector in a slot; one row.
// mode: read, returns: one, scope: system - the slots belong to the database
CYPHER 25
// part: searched_page(m)
WITH collect(m) AS page
RETURN size(page) AS looked, page[-1].uid AS last_uid,
       [m IN page
        WHERE m.searchable_in IS NOT NULL AND coalesce(CASE $slot WHEN 'b' THEN m.embedded_b ELSE m.embedded_a END, '') <> $encoder
        | m {.uid, .content, .speaker}] AS items
