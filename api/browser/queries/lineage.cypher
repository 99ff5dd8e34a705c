// Why the goals of an organisation exist: their tree, what they derive from, evidence and next steps
MATCH (org:Organisation {key: 'demo'})
MATCH (g:Goal {org_id: org.uid})
OPTIONAL MATCH tree = (g)-[:CHILD_OF|DERIVED_FROM]->(:Goal)
OPTIONAL MATCH evidence = (g)<-[:EVIDENCES]-(:Observation)
OPTIONAL MATCH actions = (g)<-[:ADVANCES]-(:PendingAction)
RETURN g, tree, evidence, actions
