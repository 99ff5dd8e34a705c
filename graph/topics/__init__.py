"""Topics: what observations, durable memories and goals are about, as nodes of their spaces."""
