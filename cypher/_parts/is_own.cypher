// Whether a session is the caller's: it lies in the space of the caller's sessions, and is of the caller's device.
// variables: s
s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
