// Makes searches use the other slot if it still belongs to an encoder; one row.
// mode: write, returns: one, scope: system - the slots belong to the database
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
SET slots.after = ''
WITH slots, CASE slots.serving WHEN 'b' THEN slots.a ELSE slots.b END = $encoder AS mine
SET slots.serving = CASE WHEN NOT mine THEN slots.serving WHEN slots.serving = 'b' THEN 'a' ELSE 'b' END
RETURN coalesce(mine, false) AS switched
