// Or the action is for the caller, who is a person: it is found and changed wherever it lies.
// variables: a
OR a.person_id IN $people
