// The conditions of a filter that hold for each observation alone, the status among them.
// variables: o
AND any(slice IN $slices WHERE o.status = slice.status
        AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive))
// part: observation_filter(o)
