// Whether the item of a slot may leave the service: nobody redacted it.
// variables: h
NOT coalesce(h.redacted, false)
