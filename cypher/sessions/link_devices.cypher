// Says whether sessions of a person on different devices may be related, and has those compared anew that others are compared with; the version of the space; no row if the caller may not write to it.
// mode: write, returns: optional, scope: caller
CYPHER 25
MATCH (space:Space {uid: $scope_id})
WHERE space.uid IN $writable
SET space.links_devices = $across, space.version = space.version + 1
WITH space
CALL (space) {
  UNWIND ['active', 'ended'] AS status
  MATCH (s:Session)
  USING INDEX SEEK s:Session(scope_id, status, uid)
  WHERE s.scope_id = space.uid AND s.status = status AND s.uid > $since AND s.uid < $upto
    AND (s.status = 'active' OR s.digest_until IS NOT NULL)
  SET s.uncorrelated_since = coalesce(s.uncorrelated_since, $now)
}
RETURN space.version AS version
