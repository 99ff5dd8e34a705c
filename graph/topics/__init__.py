"""Topics: what observations and goals are about, as nodes of their spaces."""
