// The audit of the npm package graphql-http against a server, for tests/api/test_audit.py; one JSON list on
// standard output.
//
//     AUDIT_TOKEN=… node web/audit/audit.mjs http://127.0.0.1:8420/graphql
import { serverAudits } from "graphql-http";

const [url] = process.argv.slice(2);
const authorization = `Bearer ${process.env.AUDIT_TOKEN}`;
const fetchFn = (address, init = {}) =>
  fetch(address, { ...init, headers: { ...init.headers, authorization } });

const results = [];
// One after the other, so that a failure is of that request alone.
for (const { id, name, fn } of serverAudits({ url, fetchFn })) {
  const { status, reason = "" } = await fn();
  results.push({ id, name, status, reason });
}
process.stdout.write(JSON.stringify(results));
