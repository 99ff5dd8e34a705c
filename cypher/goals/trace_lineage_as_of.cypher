// Why a goal existed at a time and what was linked to it, as nodes and edges with the versions of that time, in one row; no row when the goal is not readable or did not exist.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (g:Goal {uid: $uid})
// A caller who may read a node now may read its earlier versions.
WHERE g.created_at <= $at AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
CALL (g) {
  // Every step stays among readable goals, so nothing behind an unreadable goal is returned. The steps are counted on
  // the way, because a condition on the length of the path would be checked after all goals were visited.
  MATCH p = (g) ((x:Goal)-[link:CHILD_OF]->(y:Goal) WHERE link.since <= $at AND (link.until IS NULL OR link.until > $at) AND (y.scope_id IN $readable
    // part: shared(y) if $grantees
  )){1,20} (other:Goal)
  WHERE allReduce(steps = 0, step IN link | steps + 1, steps <= $depth)
  RETURN other, 'ancestor' AS role, length(p) AS distance
  LIMIT $most
  UNION ALL
  WITH g
  MATCH p = (g) ((x:Goal)<-[link:CHILD_OF]-(y:Goal) WHERE link.since <= $at AND (link.until IS NULL OR link.until > $at) AND (y.scope_id IN $readable
    // part: shared(y) if $grantees
  )){1,20} (other:Goal)
  WHERE allReduce(steps = 0, step IN link | steps + 1, steps <= $depth)
  RETURN other, 'descendant' AS role, length(p) AS distance
  LIMIT $most
  UNION ALL
  WITH g
  // There may be millions of paths to one goal; in this form the planner visits each goal once. It does so only as deep as
  // the pattern says, not as a condition says: a short lineage has a pattern of its own.
  WITH g WHERE $depth <= 5
  MATCH p = (g)-[:DERIVED_FROM*1..5]-(other:Goal)
  WHERE all(link IN relationships(p) WHERE link.since <= $at AND (link.until IS NULL OR link.until > $at)) AND all(y IN nodes(p) WHERE y.scope_id IN $readable
    // part: shared(y) if $grantees
  )
  WITH g, other, min(length(p)) AS distance
  WHERE distance <= $depth AND other <> g
  RETURN other, 'derivation' AS role, distance
  LIMIT $most
  UNION ALL
  WITH g
  WITH g WHERE $depth > 5
  MATCH p = (g)-[:DERIVED_FROM*1..20]-(other:Goal)
  WHERE all(link IN relationships(p) WHERE link.since <= $at AND (link.until IS NULL OR link.until > $at)) AND all(y IN nodes(p) WHERE y.scope_id IN $readable
    // part: shared(y) if $grantees
  )
  WITH g, other, min(length(p)) AS distance
  WHERE distance <= $depth AND other <> g
  RETURN other, 'derivation' AS role, distance
  LIMIT $most
  UNION ALL
  WITH g
  RETURN g AS other, 'self' AS role, 0 AS distance
}
// A goal reached by several paths is returned once, in its nearest role.
WITH other, role, distance ORDER BY distance, role
WITH other, head(collect(role)) AS role, min(distance) AS distance
ORDER BY distance, other.uid
LIMIT $most
WITH collect({goal: other, role: role}) AS found
// collect() returns a row even without input; a goal that does not exist must not have one.
WHERE size(found) > 0
WITH found, [item IN found | item.goal] AS goals
CALL (goals) {
  UNWIND goals AS goal
  MATCH (o:Observation)-[link:EVIDENCES]->(goal)
  WHERE link.since <= $at AND (link.until IS NULL OR link.until > $at) AND o.scope_id IN $readable
  WITH goal, link, o ORDER BY o.uid
  LIMIT $most
  RETURN collect({node: {uid: o.uid, kind: 'observation', role: 'evidence', name: o.name, status: o.status,
                         confidence: o.confidence},
                  edge: {source: o.uid, target: goal.uid, type: 'EVIDENCES', confidence: link.confidence,
                         reason: link.note, since: link.since, until: link.until}}) AS evidence
}
CALL (goals) {
  UNWIND goals AS goal
  MATCH (a:PendingAction)-[:ADVANCES]->(goal)
  // The actions of a shared goal are shared with the goal.
  WHERE a.created_at <= $at AND (a.scope_id IN $readable OR a.scope_id = goal.scope_id)
  WITH goal, a ORDER BY a.uid
  LIMIT $most
  RETURN collect({node: {uid: a.uid, kind: 'pending_action', role: 'action', name: a.name, status: a.status},
                  edge: {source: a.uid, target: goal.uid, type: 'ADVANCES', since: a.created_at}}) AS actions
}
CALL (goals) {
  UNWIND goals AS goal
  MATCH (q:Question)-[about:ABOUT]->(goal)
  // The questions about a shared goal, and the stories that answer them, are shared with the goal.
  WHERE about.since <= $at AND (about.until IS NULL OR about.until > $at) AND (q.scope_id IN $readable OR q.scope_id = goal.scope_id)
  WITH goal, about, q ORDER BY q.uid
  LIMIT $most
  RETURN collect(q) AS asked,
         collect({node: {uid: q.uid, kind: 'question', role: 'question', name: q.name, status: q.status},
                  edge: {source: q.uid, target: goal.uid, type: 'ABOUT', since: about.since, until: about.until}}) AS questions
}
CALL (asked) {
  UNWIND asked AS q
  MATCH (s:Story)-[:ANSWERS]->(q)
  WHERE s.created_at <= $at AND (s.scope_id IN $readable OR s.scope_id = q.scope_id)
  WITH q, s ORDER BY s.uid
  LIMIT $most
  RETURN collect(s) AS told,
         collect({node: {uid: s.uid, kind: 'story', role: 'story', name: s.name, status: s.status},
                  edge: {source: s.uid, target: q.uid, type: 'ANSWERS', since: s.created_at}}) AS stories
}
CALL (told) {
  UNWIND told AS s
  MATCH (o:Observation)-[link:EVIDENCES]->(s)
  WHERE link.since <= $at AND (link.until IS NULL OR link.until > $at) AND o.scope_id IN $readable
  WITH s, link, o ORDER BY o.uid
  LIMIT $most
  RETURN collect({node: {uid: o.uid, kind: 'observation', role: 'evidence', name: o.name, status: o.status,
                         confidence: o.confidence},
                  edge: {source: o.uid, target: s.uid, type: 'EVIDENCES', confidence: link.confidence,
                         since: link.since, until: link.until}}) AS grounds
}
CALL (goals) {
  UNWIND goals AS goal
  // A goal that nothing advances is not looked up in every readable space.
  WITH goal WHERE EXISTS { (goal)<-[:ADVANCES]-() }
  CALL (goal) {
    UNWIND $readable AS scope_id
    CALL (goal, scope_id) {
      // A goal may have any number of calls: the newest are read from the index, the others are not.
      MATCH (inv:ToolInvocation)
      USING INDEX SEEK inv:ToolInvocation(scope_id, goal_uid, uid)
      WHERE inv.scope_id = scope_id AND inv.goal_uid = goal.uid AND inv.uid >= $oldest AND inv.created_at <= $at
      RETURN inv
      // All properties, although some are constant here: only then does the planner use the order of the index.
      ORDER BY inv.scope_id DESC, inv.goal_uid DESC, inv.uid DESC
      LIMIT $latest
    }
    WITH inv ORDER BY inv.uid DESC
    LIMIT $latest
    RETURN inv
  }
  WITH goal, inv ORDER BY inv.uid DESC
  LIMIT $most
  RETURN collect({node: {uid: inv.uid, kind: 'tool_invocation', role: 'tool_call', name: inv.name, status: inv.status},
                  edge: {source: inv.uid, target: goal.uid, type: 'ADVANCES', since: inv.created_at}}) AS calls
}
CALL (goals) {
  UNWIND goals AS goal
  WITH goal WHERE EXISTS { (goal)<-[:MADE]-() }
  CALL (goal) {
    MATCH (goal)<-[made:MADE]-(turn:Turn)-[:RESULTED_IN]->(o:Outcome)
    WHERE turn.scope_id IN $readable AND o.scope_id IN $readable AND made.since <= $at AND o.created_at <= $at
    WITH o ORDER BY o.uid DESC
    LIMIT $latest
    RETURN o
  }
  WITH goal, o ORDER BY o.uid DESC, goal.uid
  LIMIT $most
  // The edge stands for the turn between the two.
  RETURN collect({node: {uid: o.uid, kind: 'outcome', role: 'outcome', name: o.name,
                         status: CASE WHEN o.success THEN 'success' ELSE 'failure' END},
                  edge: {source: o.uid, target: goal.uid, type: 'OUTCOME_OF', since: o.created_at}}) AS outcomes
}
CALL (goals) {
  UNWIND goals AS goal
  MATCH (goal)-[link:CHILD_OF|DERIVED_FROM]->(other:Goal)
  WHERE link.since <= $at AND (link.until IS NULL OR link.until > $at) AND other IN goals
  WITH goal, link, other ORDER BY goal.uid, other.uid
  RETURN collect({source: goal.uid, target: other.uid, type: type(link), reason: link.reason, since: link.since, until: link.until}) AS tree
}
CALL (goals, actions, questions, stories) {
  // For each node the last version up to that time that records a displayed property.
  UNWIND [goal IN goals | goal.uid] + [item IN actions + questions + stories | item.node.uid] AS uid
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = uid AND v.number > 0 AND v.created_at <= $at
  UNWIND v.fields AS field
  WITH uid, field, v
  WHERE field IN ['title', 'text', 'narrative', 'status', 'progress']
  WITH uid, field, max(v.number) AS number
  WITH DISTINCT uid, number
  ORDER BY uid, number
  MATCH (v:Version {of_uid: uid, number: number})
  RETURN collect({uid: uid, changes: v.changes}) AS words
}
CALL (evidence, grounds) {
  // For an observation the first version after that time that records the earlier value.
  UNWIND [item IN evidence + grounds | item.node.uid] AS uid
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = uid AND v.number > 0 AND v.created_at > $at
  UNWIND v.fields AS field
  WITH uid, field, v
  WHERE field IN ['status', 'confidence']
  WITH uid, field, min(v.number) AS number
  WITH DISTINCT uid, number
  // The version nearest to that time comes last, so that its values win.
  ORDER BY uid, number DESC
  MATCH (v:Version {of_uid: uid, number: number})
  RETURN collect({uid: uid, changes: v.before}) AS earlier
}
RETURN [item IN found | {uid: item.goal.uid, kind: 'goal', role: item.role, name: item.goal.name,
                         status: item.goal.status, progress: item.goal.progress}] AS goals,
       evidence, actions, questions, stories, grounds, calls, outcomes, tree, words + earlier AS words
