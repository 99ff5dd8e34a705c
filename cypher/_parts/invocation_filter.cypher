// What a filter of the execution log leaves over beside the condition by which the statement finds its invocations.
// variables: inv
AND ($tool IS NULL OR inv.tool = $tool) AND ($status IS NULL OR inv.status = $status) AND ($turn_uid IS NULL OR inv.turn_uid = $turn_uid)
AND ($goal_uid IS NULL OR inv.goal_uid = $goal_uid) AND ($since IS NULL OR inv.created_at >= $since)
AND ($until IS NULL OR inv.created_at < $until)
