// Events not yet published, as a table
// Events that have no sequence number in the organisation's order yet, oldest first. The relay numbers them.
MATCH (org:Organisation {key: 'demo'})
MATCH (event:Unsequenced {org_id: org.uid})
RETURN event.created_at AS at, event.type AS type, event.aggregate AS of, event.aggregate_version AS version
ORDER BY event.uid
LIMIT 100
