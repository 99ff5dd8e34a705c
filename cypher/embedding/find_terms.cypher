// A page of all that is searched, by id, with its terms and what they are made of; one row.
// mode: read, returns: one, scope: system - the job serves every organisation
CYPHER 25
// part: searched_page(m)
WITH collect(m) AS page
RETURN size(page) AS looked, page[-1].uid AS last_uid, [m IN page WHERE m.terms IS NOT NULL | m {.uid, .content, .speaker, .tags, .terms}] AS items
