// A button that opens Neo4j Browser with the guide about one goal or turn.

import { useMutation } from "@tanstack/react-query";
import { BrowserLinkOfDocument } from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { messageOf } from "../../../shared/session";

/** The link lives for ten minutes, so it is asked for when somebody wants it. */
export function OpenInBrowser({ id }: { id: string }) {
  const link = useMutation({
    mutationFn: async () => (await ask(BrowserLinkOfDocument, { id })).browserLink,
    onSuccess: (found) => {
      if (found) window.open(found.url, "_blank", "noopener,noreferrer");
    },
  });
  return (
    <div className="open-in-browser">
      <button type="button" className="button" disabled={link.isPending} onClick={() => link.mutate()}>
        Open in Neo4j Browser
      </button>
      <p className="hint" role="status">
        {link.isSuccess && link.data && (
          <>
            It opens in a new tab: type the password, then press Ctrl+Enter.{" "}
            <a href={link.data.url} target="_blank" rel="noopener noreferrer">
              Open it here
            </a>{" "}
            if it does not.
          </>
        )}
        {link.isSuccess &&
          !link.data &&
          "This service knows no Neo4j Browser to open. Its operator can name one: PREFRONTAL_BROWSER_URL."}
        {link.isError && `Neo4j Browser could not be opened. ${messageOf(link.error)}`}
      </p>
    </div>
  );
}
