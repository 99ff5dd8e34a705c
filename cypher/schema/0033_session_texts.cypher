// A text of a session is found by its digest when it is forgotten in the space.
CREATE INDEX fragment_text IF NOT EXISTS FOR (n:Fragment) ON (n.scope_id, n.text_key);
