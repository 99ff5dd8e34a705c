// A summary is made once for what it is of.
CREATE CONSTRAINT summary_uid IF NOT EXISTS FOR (n:Summary) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT summary_of IF NOT EXISTS FOR (n:Summary) REQUIRE (n.of_uid, n.kind, n.label) IS UNIQUE;
