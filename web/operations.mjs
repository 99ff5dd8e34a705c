// Writes src/generated/operations.ts: the operations of the `.graphql` files under src/pages and their types,
// which follow from schema.graphql. An operation that the schema does not allow stops the build.
//
//     node operations.mjs
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { codegen } from "@graphql-codegen/core";
import * as documents from "@graphql-codegen/typed-document-node";
import * as types from "@graphql-codegen/typescript-operations";
import { parse } from "graphql";

const OUT = "src/generated/operations.ts";

const text = await codegen({
  filename: OUT,
  schema: parse(readFileSync("../schema.graphql", "utf8")),
  documents: globSync("src/pages/**/*.graphql")
    .toSorted()
    .map((location) => ({ location, document: parse(readFileSync(location, "utf8")) })),
  config: {
    documentMode: "string",
    enumsAsTypes: true,
    useTypeImports: true,
    strictScalars: true,
    scalars: { DateTime: "string", JSON: "unknown", Priority: "string | number", Seq: "number" },
  },
  plugins: [{ types: {} }, { documents: {} }],
  pluginMap: { types, documents },
});
mkdirSync("src/generated", { recursive: true });
writeFileSync(OUT, text);
