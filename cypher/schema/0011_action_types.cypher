// An organisation's own action types: one definition of each id, before the file of the same id.
CREATE CONSTRAINT action_type_uid IF NOT EXISTS FOR (n:ActionType) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT action_type_id IF NOT EXISTS FOR (n:ActionType) REQUIRE (n.org_id, n.type_id) IS UNIQUE;
