// The messages of a conversation are read in order, for the summary of the older ones.
CREATE INDEX message_conversation IF NOT EXISTS FOR (n:Message) ON (n.scope_id, n.conversation, n.uid);
// Conversations that have gone on are found by how much was said. Those of before are all looked at once, and then counted.
MATCH (c:Conversation) WHERE c.behind IS NULL
CALL (c) { SET c.behind = 1000000 } IN TRANSACTIONS OF 1000 ROWS;
CREATE INDEX conversation_behind IF NOT EXISTS FOR (n:Conversation) ON (n.behind);
