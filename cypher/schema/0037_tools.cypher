// Turns are complete or abandoned, and linked to the next one of their space; invocations of tools are found by their turn, tool, status and goal, and outcomes by their turn.
CREATE CONSTRAINT tool_invocation_uid IF NOT EXISTS FOR (n:ToolInvocation) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT tool_invocation_client_key IF NOT EXISTS FOR (n:ToolInvocation) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX tool_invocation_scope IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.uid);
CREATE INDEX tool_invocation_tool IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.tool, n.uid);
CREATE INDEX tool_invocation_status IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.status, n.uid);
CREATE INDEX tool_invocation_goal IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.goal_uid, n.uid);
CREATE CONSTRAINT tool_key IF NOT EXISTS FOR (n:Tool) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE CONSTRAINT outcome_uid IF NOT EXISTS FOR (n:Outcome) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT outcome_client_key IF NOT EXISTS FOR (n:Outcome) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX outcome_scope IF NOT EXISTS FOR (n:Outcome) ON (n.scope_id, n.uid);
CREATE INDEX outcome_success IF NOT EXISTS FOR (n:Outcome) ON (n.scope_id, n.success, n.uid);
CREATE INDEX turn_open IF NOT EXISTS FOR (n:Turn) ON (n.status, n.uid);
MATCH (turn:Turn) WHERE turn.status = 'ended'
CALL (turn) { SET turn.status = 'complete' } IN TRANSACTIONS OF 1000 ROWS;
CREATE INDEX turn_scope IF NOT EXISTS FOR (n:Turn) ON (n.scope_id, n.uid);
// Turns of before are linked to those that came after them.
MATCH (turn:Turn) WHERE NOT EXISTS { (:Turn)-[:NEXT]->(turn) }
CALL (turn) {
  MATCH (last:Turn)
  WHERE last.scope_id = turn.scope_id AND last.uid < turn.uid
  WITH turn, last
  ORDER BY last.scope_id DESC, last.uid DESC
  LIMIT 1
  CREATE (last)-[:NEXT]->(turn)
} IN TRANSACTIONS OF 1000 ROWS;
