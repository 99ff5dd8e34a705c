// What the files of a registry said, one node for each version of each definition.
CREATE CONSTRAINT type_definition_version IF NOT EXISTS FOR (n:TypeDefinition) REQUIRE (n.registry, n.type_id, n.number) IS UNIQUE;
