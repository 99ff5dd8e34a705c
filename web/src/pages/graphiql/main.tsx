import "graphiql/setup-workers/vite";
import "@graphiql/react/font/roboto.css";
import "@graphiql/react/font/fira-code.css";
import "@graphiql/react/style.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "@graphiql/plugin-history/style.css";
import "graphiql/graphiql.css";
import "@graphiql/plugin-explorer/style.css";
import { Suspense } from "react";
import { createRoot } from "react-dom/client";
import { Shell } from "../../shared/Shell";
import { Page } from "./Page";
import "./page.css";

const root = document.getElementById("root");
if (!root) throw new Error("graphiql.html has no element with the id root");
createRoot(root).render(
  <Shell home="/graphiql">
    {(askToSignIn) => (
      <Suspense>
        <Page askToSignIn={askToSignIn} />
      </Suspense>
    )}
  </Shell>,
);
