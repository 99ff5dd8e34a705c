import { defineConfig } from "vite";

/** Each page is an HTML file here; api/web/routes.py serves it under its name. */
const PAGES = ["index", "graphiql"];

/** The address of a running `prefrontal serve`. */
const API = "http://127.0.0.1:8420";

/** What a running `prefrontal serve` answers while `npm run dev` serves /graphiql.html. */
const SERVED = ["/graphql", "/graphiql/examples.json"];

export default defineConfig({
  build: {
    outDir: "../api/web/dist",
    emptyOutDir: true,
    // Files, so that the pages' content policy needs nothing but 'self'.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    // The editor is one large file, and its workers are.
    chunkSizeWarningLimit: 5_000,
    reportCompressedSize: false,
    rolldownOptions: {
      input: Object.fromEntries(PAGES.map((page) => [page, `${page}.html`])),
      onLog(level, log, report) {
        // "use client" speaks to servers that render React; here is none.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
  worker: { format: "es" },
  // One graphql for GraphiQL and for its plugins: types of two copies do not know each other.
  resolve: { dedupe: ["graphql", "react", "react-dom"] },
  server: { proxy: Object.fromEntries(SERVED.map((path) => [path, API])) },
});
