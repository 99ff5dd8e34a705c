// Whether a session is the caller's, on its device or on another one if the space says so.
// variables: o
o.scope_id = $scope_id AND o.scope_id IN $readable
AND (coalesce(o.device_id, '') = $device_id OR EXISTS { (:Space {uid: $scope_id, links_devices: true}) })
