// The cases of the slot that holds vectors of `$encoder`: if both do, the one that serves.
// variables: slots
WHEN slots.a = $encoder AND (slots.serving = 'a' OR coalesce(slots.b, '') <> $encoder) THEN 'a'
WHEN slots.b = $encoder THEN 'b'
