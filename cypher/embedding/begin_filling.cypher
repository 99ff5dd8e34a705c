// Gives the slot that searches do not use to an encoder; what another one left there counts as missing.
// mode: write, returns: none, scope: system - the slots belong to the database
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
WHERE coalesce(CASE slots.serving WHEN 'b' THEN slots.a ELSE slots.b END, '') <> $encoder
SET slots.a = CASE slots.serving WHEN 'b' THEN $encoder ELSE slots.a END,
    slots.b = CASE slots.serving WHEN 'b' THEN slots.b ELSE $encoder END,
    slots.after = ''
