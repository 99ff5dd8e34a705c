// The label of a memory that can be found and has no vector in the slot that searches use.
// variables: m, slots
REMOVE m:Unembedded
FOREACH (_ IN CASE
  WHEN m.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN m.embedded_b ELSE m.embedded_a END IS NOT NULL THEN []
  ELSE [1]
END | SET m:Unembedded)
