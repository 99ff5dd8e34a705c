// The memories that may answer a question: the nearest by meaning, those with its words (both also by their passages), those that mention its names, and the messages beside them; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// The spaces, the kinds and the time are conditions inside the indexes, so nobody's memories push out those of somebody else
// who cannot be read. The caller's own spaces and all others each have their nearest and those with the words: whoever shares very
// much does not push out what the caller has. Notes, messages and the passages of long ones have theirs, too, by their kinds (`sorts`): none
// pushes out another. The conditions on the nodes are a second, independent access check.
CALL () {
  // The slot that has vectors of this encoder; none while another encoder's are searched.
  OPTIONAL MATCH (slots:Embedding {name: 'memory'})
  RETURN CASE
    WHEN $vector IS NULL THEN null
    // part: slot(slots)
  END AS slot, coalesce(slots.a, slots.b) IS NOT NULL AS has_vectors
}
CALL (slot) {
  UNWIND CASE WHEN slot IS NULL THEN [] ELSE $looks END AS look
  // One look for all that the caller may read: the smaller the share of the index that its conditions leave, the longer a look takes.
  CALL (slot, look) {
    CALL (slot, look) {
      WITH look.kinds AS kinds, CASE WHEN look.spoken THEN $speech ELSE $vector END AS asked
      WHERE slot = 'a'
      MATCH (p:Memory)
      SEARCH p IN (
        VECTOR INDEX memory_vector_a FOR asked
        WHERE p.searchable_in IN $readable AND p.kind IN kinds AND p.expires_at > $now
        LIMIT $near_together
      ) SCORE AS score
      RETURN p, score
      UNION ALL
      WITH look.kinds AS kinds, CASE WHEN look.spoken THEN $speech ELSE $vector END AS asked
      WHERE slot = 'b'
      MATCH (p:Memory)
      SEARCH p IN (
        VECTOR INDEX memory_vector_b FOR asked
        WHERE p.searchable_in IN $readable AND p.kind IN kinds AND p.expires_at > $now
        LIMIT $near_together
      ) SCORE AS score
      RETURN p, score
    }
    RETURN collect({p: p, score: score, space: p.searchable_in, kind: p.kind}) AS together
  }
  UNWIND look.sorts AS sort
  UNWIND $groups AS each
  CALL (slot, look, sort, each, together) {
    WITH slot, look, sort, each.spaces AS spaces, together,
         [hit IN together WHERE hit.space IN each.spaces AND hit.kind IN sort] AS there
    WITH *, size(together) = $near_together AND size(there) < $enough AS pushed_out
    CALL (slot, look, sort, spaces, there, pushed_out) {
      UNWIND CASE WHEN pushed_out THEN [] ELSE there END AS hit
      RETURN hit.p AS p, hit.score AS score
      UNION ALL
      WITH spaces, sort, CASE WHEN look.spoken THEN $speech ELSE $vector END AS asked
      WHERE pushed_out AND slot = 'a'
      MATCH (p:Memory)
      SEARCH p IN (
        VECTOR INDEX memory_vector_a FOR asked
        WHERE p.searchable_in IN spaces AND p.kind IN sort AND p.expires_at > $now
        LIMIT $near
      ) SCORE AS score
      RETURN p, score
      UNION ALL
      WITH spaces, sort, CASE WHEN look.spoken THEN $speech ELSE $vector END AS asked
      WHERE pushed_out AND slot = 'b'
      MATCH (p:Memory)
      SEARCH p IN (
        VECTOR INDEX memory_vector_b FOR asked
        WHERE p.searchable_in IN spaces AND p.kind IN sort AND p.expires_at > $now
        LIMIT $near
      ) SCORE AS score
      RETURN p, score
    }
    // part: whole(m, p, score, itself)
    WHERE m.scope_id IN $readable AND m.org_id = $org_id
      // part: search_filter(m) if $filtered
    WITH m, itself
    ORDER BY score DESC, m.uid DESC
    LIMIT $pool
    RETURN collect({m: m, score: itself}) AS best
  }
  RETURN collect(best) AS near
}
CALL () {
  UNWIND $groups AS each
  CALL (each) {
    WITH each WHERE each.text <> ''
    CALL db.index.fulltext.queryNodes('memory_text', each.text, {limit: $look}) YIELD node AS p, score
    // part: whole(m, p, score, itself)
    WHERE m.scope_id IN $readable AND m.org_id = $org_id AND m.searchable_in IN each.spaces AND m.kind IN $kinds AND m.expires_at > $now
      // part: search_filter(m) if $filtered
    WITH m
    ORDER BY score DESC, m.uid DESC
    LIMIT $pool
    RETURN collect({m: m}) AS best
  }
  RETURN collect(best) AS said
}
CALL () {
  // An entity may have very many mentions, so only its newest ones of each space are read.
  UNWIND $entity_uids AS uid
  UNWIND $readable AS scope_id
  CALL (uid, scope_id) {
    MATCH (m:Memory)-[via:MENTIONS]->()
    USING INDEX SEEK via:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE via.scope_id = scope_id AND via.entity_uid = uid AND via.from_uid IS NOT NULL
    WITH m, via
    ORDER BY via.scope_id DESC, via.entity_uid DESC, via.from_uid DESC
    LIMIT $hub
    WITH m
    WHERE m.scope_id IN $readable AND m.org_id = $org_id AND m.searchable_in IN $readable AND m.kind IN $kinds AND m.expires_at > $now
      // part: search_filter(m) if $filtered
    RETURN m
  }
  RETURN collect(DISTINCT m)[..$pool] AS mentioning
}
CALL (near, said, mentioning) {
  // Only the best of each list by their places (reciprocal rank fusion, Cormack et al. 2009) are read: the properties of a memory
  // cost more than finding it. The caller's own spaces and all others are counted by themselves.
  // What merely mentions a name is in no order of relevance: it counts as if it stood behind a whole list.
  UNWIND [best IN near + said | {best: best, behind: 0}] + [{best: [m IN mentioning | {m: m}], behind: $pool}] AS list
  UNWIND range(0, size(list.best) - 1) AS place
  WITH list.best[place].m AS m, max(list.best[place].score) AS score, sum(1.0 / ($offset + list.behind + place)) AS fused
  ORDER BY fused DESC, m.uid DESC
  WITH m.scope_id IN $own AS own, collect({m: m, score: score}) AS ordered
  WITH collect(ordered) AS lists, sum(size(ordered)) AS total
  // Each of the two gets half of the places, and those that the other does not need.
  WITH [list IN lists | {hits: list, others: total - size(list)}] AS lists
  RETURN reduce(all = [], list IN lists | all + list.hits[..CASE WHEN 2 * list.others < $keep THEN $keep - list.others ELSE $keep / 2 END]) AS hits,
         reduce(all = [], list IN lists | all + [hit IN list.hits[..CASE WHEN 2 * list.others < $expand THEN $expand - list.others ELSE $expand / 2 END] | hit.m]) AS expanded
}
CALL (hits, expanded) {
  WITH expanded, [hit IN hits | hit.m] AS found
  // What was said before and after the very best, whether it was found or not.
  UNWIND expanded AS hit
  MATCH (hit)-[:NEXT]-(m:Message&Memory)
  WHERE m.scope_id IN $readable AND m.org_id = $org_id AND m.searchable_in IN $readable AND m.kind IN $kinds AND NOT m IN found
    // part: search_filter(m) if $filtered
  RETURN collect(DISTINCT m) AS beside
}
CALL (slot, hits, beside) {
  UNWIND hits + [m IN beside | {m: m}] AS hit
  WITH slot, hit.m AS m, hit.score AS score
  RETURN collect(m {
      .uid, .scope_id, .by_uid, .kind, .content, .speaker, .conversation, .confidence, .tags,
      at: toString(coalesce(m.happened_at, m.created_at)),
      // To read a vector costs more than all else of a memory: the index has said how near the nearest are.
      cosine: CASE WHEN score IS NOT NULL THEN 2 * score - 1 ELSE
        // part: cosine(m, slot)
      END,
      passages: COLLECT {
        MATCH (m)<-[:PART_OF]-(p:Passage)
        WITH p
        ORDER BY p.place
        RETURN {
          passage: p {.place, .total, .start, .end},
          cosine:
            // part: cosine(p, slot)
        }
      },
      about: CASE WHEN size($entity_uids) = 0 THEN [] ELSE
        COLLECT { MATCH (m)-[:MENTIONS {how: 'declared'}]->(named:Entity) WHERE named.uid IN $entity_uids RETURN named.uid }
      END,
      // An identifier may stand in a name alone.
      names: CASE WHEN $identified THEN COLLECT { MATCH (m)-[:MENTIONS {how: 'declared'}]->(named:Entity) RETURN named.name } ELSE [] END,
      after: CASE WHEN m:Message THEN COLLECT { MATCH (m)<-[:NEXT]-(before:Message&Memory) RETURN before.uid } ELSE [] END
    }) AS items
}
RETURN items, $vector IS NOT NULL AND slot IS NULL AND has_vectors AS of_another_encoder
