// A session of the caller, by its id or the caller's key of it.
// variables: s
MATCH (s:Session)
WHERE s.uid = $session
RETURN s
UNION
MATCH (s:Session)
WHERE s.scope_id = $scope_id AND s.key = $session
RETURN s
