// The condition that the title and the description together contain each of some words, in lower case and NFKC.
// variables: n
AND (size($words) = 0 OR all(text IN [toLower(normalize(n.title + ' ' + coalesce(n.description, ''), NFKC))]
     WHERE all(word IN $words WHERE text CONTAINS word)))
