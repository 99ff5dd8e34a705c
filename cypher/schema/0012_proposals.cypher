// Proposals to change the registry: by status in a space, those of all organisations that wait to be merged, a name once.
CREATE CONSTRAINT registry_proposal_uid IF NOT EXISTS FOR (n:RegistryProposal) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT registry_proposal_name IF NOT EXISTS FOR (n:RegistryProposal) REQUIRE (n.org_id, n.name_key) IS UNIQUE;
CREATE INDEX registry_proposal_status IF NOT EXISTS FOR (n:RegistryProposal) ON (n.scope_id, n.status, n.uid);
CREATE INDEX registry_proposal_merging IF NOT EXISTS FOR (n:RegistryProposal) ON (n.status, n.uid);
