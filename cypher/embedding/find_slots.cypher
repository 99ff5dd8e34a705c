// Which encoders' vectors the slots hold, and which slot searches use; one row, none before the first use.
// mode: read, returns: optional, scope: system - the slots belong to the database
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
RETURN slots.serving AS serving, slots.a AS a, slots.b AS b, coalesce(slots.after, '') AS after, coalesce(slots.terms, 0) AS terms,
       coalesce(slots.terms_after, '') AS terms_after
