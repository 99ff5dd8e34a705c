// The goals, questions and stories that may answer a question: the nearest by meaning, those with its words, and the best of what is shared; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// As in search_memory: the spaces and the kinds are conditions inside the indexes, and the conditions on the nodes are a second,
// independent access check.
CALL () {
  OPTIONAL MATCH (slots:Embedding {name: 'memory'})
  RETURN CASE
    WHEN $vector IS NULL THEN null
    // part: slot(slots)
  END AS slot, coalesce(slots.a, slots.b) IS NOT NULL AS has_vectors
}
CALL (slot) {
  UNWIND CASE slot WHEN 'a' THEN $groups ELSE [] END AS each
  CALL (each) {
    WITH each.spaces AS spaces
    MATCH (n:Goal|Question|Story)
    SEARCH n IN (
      VECTOR INDEX plan_vector_a FOR $vector
      WHERE n.searchable_in IN spaces AND n.kind IN $kinds
      LIMIT $near
    ) SCORE AS score
    WHERE n.scope_id IN $readable AND n.org_id = $org_id
      // part: plan_filter(n)
    RETURN n
    ORDER BY score DESC, n.uid DESC
    LIMIT $pool
  }
  RETURN collect(n) AS near_a
}
CALL (slot) {
  UNWIND CASE slot WHEN 'b' THEN $groups ELSE [] END AS each
  CALL (each) {
    WITH each.spaces AS spaces
    MATCH (n:Goal|Question|Story)
    SEARCH n IN (
      VECTOR INDEX plan_vector_b FOR $vector
      WHERE n.searchable_in IN spaces AND n.kind IN $kinds
      LIMIT $near
    ) SCORE AS score
    WHERE n.scope_id IN $readable AND n.org_id = $org_id
      // part: plan_filter(n)
    RETURN n
    ORDER BY score DESC, n.uid DESC
    LIMIT $pool
  }
  RETURN collect(n) AS near_b
}
CALL () {
  UNWIND $groups AS each
  CALL (each) {
    WITH each WHERE each.text <> ''
    CALL db.index.fulltext.queryNodes('plan_text', each.text, {limit: $look}) YIELD node AS n, score
    WHERE n.scope_id IN $readable AND n.org_id = $org_id AND n.searchable_in IN each.spaces AND n.kind IN $kinds
      // part: plan_filter(n)
    RETURN n
    ORDER BY score DESC, n.uid DESC
    LIMIT $pool
  }
  RETURN collect(n) AS said
}
CALL (slot, near_a, near_b, said) {
  CALL (slot, near_a, near_b, said) {
    UNWIND near_a + near_b + said AS n
    RETURN n
    // only if $grantees
    UNION
    // What a share lets the caller read is in no space of the caller's, so it is no condition of an index. It is few: each is compared.
    WITH slot
    // part: shared_goals(g)
    WITH DISTINCT slot, g
    CALL (g) {
      RETURN g AS n
      UNION
      MATCH (g)<-[about:ABOUT WHERE about.until IS NULL]-(n:Question)
      RETURN n
      UNION
      MATCH (g)<-[about:ABOUT WHERE about.until IS NULL]-(q:Question)<-[:ANSWERS]-(n:Story)
      WHERE q.scope_id = g.scope_id
      RETURN n
    }
    WITH DISTINCT slot, g, n
    WHERE n.scope_id = g.scope_id AND n.searchable_in IS NOT NULL AND n.kind IN $kinds
      // part: plan_filter(n)
    WITH n, split(n.terms, ' ') AS terms,
      // part: plan_cosine(n, slot)
      AS cosine
    WITH n, cosine, reduce(sum = 0.0, term IN $terms | sum + CASE WHEN term.key IN terms THEN term.weight ELSE 0.0 END) AS words
    WITH collect({n: n, cosine: cosine, words: words}) AS shared
    CALL (shared) {
      UNWIND shared AS each
      WITH each WHERE each.cosine IS NOT NULL
      RETURN each.n AS n
      ORDER BY each.cosine DESC, n.uid DESC
      LIMIT $pool
      UNION
      UNWIND shared AS each
      WITH each WHERE each.words > 0
      RETURN each.n AS n
      ORDER BY each.words DESC, n.uid DESC
      LIMIT $pool
    }
    RETURN n
    // end only
  }
  WITH DISTINCT slot, n
  RETURN collect(n {
    .uid, .scope_id, .by_uid, .kind, .content, .tags, at: toString(n.created_at),
    cosine:
      // part: plan_cosine(n, slot)
  }) AS items
}
RETURN items, $vector IS NOT NULL AND slot IS NULL AND has_vectors AS of_another_encoder
