// A goal may have a name of its caller's own, once in a space.
CREATE CONSTRAINT goal_client_key IF NOT EXISTS FOR (n:Goal) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
