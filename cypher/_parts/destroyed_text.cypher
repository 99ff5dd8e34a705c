// Destroys a text that lives in a session alone: its node stays for the history, without text, vector and digest.
// variables: m
SET m.content = '', m.live = false, m.updated_at = $now, m.version = m.version + 1
REMOVE m.text_key, m.embedding_a, m.embedded_a, m.embedding_b, m.embedded_b, m:Unembedded
