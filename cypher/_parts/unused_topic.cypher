// Deletes topics that nothing is about any more: the stem of a word is content.
// variables: t
WITH DISTINCT t
WHERE NOT EXISTS { (t)<-[:ON]-() }
DELETE t
