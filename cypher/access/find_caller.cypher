// The actors that a token names, with the spaces that they may use and whether goals are shared with them; no row if the organisation does not exist.
// mode: read, returns: optional, scope: organisation
CYPHER 25
MATCH (org:Organisation {key: $org_key})
CALL (org) {
  UNWIND $actors AS named
  MATCH (actor:Actor {org_id: org.uid, kind: named.kind, key: named.key})
  RETURN collect(actor {
    .uid, .kind, .home_id, has_shares: EXISTS { (actor)-[share:MAY]->(:Goal) WHERE share.until IS NULL }
  }) AS actors
}
CALL (org) {
  UNWIND $actors AS named
  MATCH (actor:Actor {org_id: org.uid, kind: named.kind, key: named.key})-[may:MAY]->(space:Space)
  WHERE may.until IS NULL
  RETURN collect({uid: space.uid, kind: space.kind, permission: may.permission}) AS spaces
}
RETURN org.uid AS org_id, coalesce(org.registry_revision, 0) AS registry_revision, coalesce(org.stored, 0) AS stored, actors,
       spaces
