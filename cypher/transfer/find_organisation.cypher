// Which organisations have an id or a key, and how far an import of the organisation is; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
CALL () {
  OPTIONAL MATCH (o:Organisation)
  WHERE o.uid = $org_id OR o.key = $org_key
  RETURN collect(o.uid) AS uids
}
CALL () {
  OPTIONAL MATCH (m:Importing {uid: 'import_' + $org_id})
  WHERE m.org_id = $org_id
  RETURN collect(m {.sha256, .done}) AS markers
}
RETURN uids, head(markers) AS marker
