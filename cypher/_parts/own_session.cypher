// A session of the caller by its id or its key: in its own space, and of its device.
// variables: s
MATCH (s:Session)
WHERE s.uid = $session
RETURN s
UNION
MATCH (s:Session)
WHERE s.scope_id = $scope_id AND s.key = $session
RETURN s
