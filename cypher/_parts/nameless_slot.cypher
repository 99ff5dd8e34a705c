// Takes the copies of names out of a slot: what it says of its item are numbers, times and codes then.
// variables: h
SET h.entities = [], h.themes = [], h.item_source = null
