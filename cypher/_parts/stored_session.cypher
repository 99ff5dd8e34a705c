// A session as it is stored, with its open slots and with those of the ended ones that lack a value.
// variables: s
{
  properties: properties(s),
  has_space: EXISTS { MATCH (space:Space) WHERE space.uid = s.scope_id AND space.org_id = s.org_id },
  slots: COLLECT {
    MATCH (s)-[h:HOLDS]->(m)
    WHERE h.until IS NULL OR any(name IN $required WHERE h[name] IS NULL)
    RETURN {
      ref: elementId(h), properties: properties(h), memory_uid: CASE WHEN m:Memory THEN m.uid END, org_id: m.org_id, is_fragment: m:Fragment,
      text: coalesce(m.content, '')
    }
    ORDER BY h.since, m.uid
  }
}
