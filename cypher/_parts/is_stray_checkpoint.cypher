// Whether a checkpoint was left behind: its session has ended, or is not there.
// variables: c
NOT EXISTS { MATCH (c)<-[:SAVED]-(s:Session) WHERE s.status = 'active' }
