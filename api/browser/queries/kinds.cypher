// What is stored, as a table
// How many goals, actions, questions, memories and turns the organisation has, by their label.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
WITH collect(space.uid) AS spaces
CALL (spaces) {
  MATCH (goal:Goal) WHERE goal.scope_id IN spaces RETURN 'Goal' AS label, count(*) AS number
  UNION ALL
  MATCH (action:PendingAction) WHERE action.scope_id IN spaces RETURN 'PendingAction' AS label, count(*) AS number
  UNION ALL
  MATCH (question:Question) WHERE question.scope_id IN spaces RETURN 'Question' AS label, count(*) AS number
  UNION ALL
  MATCH (observation:Observation) WHERE observation.scope_id IN spaces RETURN 'Observation' AS label, count(*) AS number
  UNION ALL
  MATCH (memory:Remembered) WHERE memory.scope_id IN spaces RETURN 'Remembered' AS label, count(*) AS number
  UNION ALL
  MATCH (turn:Turn) WHERE turn.scope_id IN spaces RETURN 'Turn' AS label, count(*) AS number
}
RETURN label, number
