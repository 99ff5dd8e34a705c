// The readable spaces among some ids; one row. A private space was created with its owner, by the owner.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (space:Space {uid: uid})
WHERE space.uid IN $readable
RETURN collect(space {.uid, .key, .name, .kind, owner_id: CASE space.kind WHEN 'private' THEN space.by_uid END, links_devices: coalesce(space.links_devices, false)}) AS items
