// What somebody may do with a proposal: review it, take it back, export it. Nothing changes before the server agrees.

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import {
  ExportProposalDocument,
  type MyselfQuery,
  type ReviewDecision,
  ReviewProposalDocument,
  WithdrawProposalDocument,
} from "../../../generated/operations";
import { change } from "../../../shared/api";
import { Refusal } from "../record/Refusal";
import { mayWithdraw, type Proposal, whyNoExport, whyNoReview } from "./proposal";

interface DecideProps {
  proposal: Proposal;
  me: MyselfQuery["me"];
}

interface Refused {
  what: string;
  problem: unknown;
}

export function Decide({ proposal, me }: DecideProps) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const result = useRef<HTMLDivElement>(null);
  /** The version that the person has read. */
  const input = { id: proposal.id, expectedVersion: proposal.version };

  const run = async (call: () => Promise<unknown>, done: string, failed: string) => {
    if (busy) return;
    setBusy(true);
    setSaid(null);
    setRefused(null);
    try {
      await call();
      setSaid(done);
    } catch (problem) {
      setRefused({ what: failed, problem });
    }
    await client.invalidateQueries();
    setBusy(false);
  };

  // The form goes away with what was done: whoever was in it hears the result.
  useEffect(() => {
    if (said || refused) result.current?.focus();
  }, [said, refused]);

  return (
    <section className="decide" aria-label="What you can do">
      {proposal.status === "OPEN" && (
        <Review
          why={whyNoReview(proposal, me)}
          busy={busy}
          onReview={(decision, comments) =>
            void run(
              () => change(ReviewProposalDocument, { input: { ...input, decision, comments } }),
              decision === "APPROVE" ? "You approved it. Next, export it as a branch." : "You rejected it.",
              "It was not reviewed.",
            )
          }
        />
      )}
      {proposal.status === "APPROVED" && (
        <Export
          proposal={proposal}
          why={whyNoExport(proposal, me)}
          busy={busy}
          onExport={() =>
            void run(() => change(ExportProposalDocument, { input }), "The branch is there.", "It was not exported.")
          }
        />
      )}
      {mayWithdraw(proposal, me) && (
        <Withdraw
          busy={busy}
          onWithdraw={(reason) =>
            void run(
              () => change(WithdrawProposalDocument, { input: { ...input, reason } }),
              "The proposal is withdrawn.",
              "It was not withdrawn.",
            )
          }
        />
      )}
      <div ref={result} tabIndex={-1} className="decide-result">
        <p role="status">{said}</p>
        {refused && <Refusal what={refused.what} problem={refused.problem} />}
      </div>
    </section>
  );
}

interface ReviewProps {
  /** Why the person may not review it; null if they may. */
  why: string | null;
  busy: boolean;
  onReview: (decision: ReviewDecision, comments: string | null) => void;
}

function Review({ why, busy, onReview }: ReviewProps) {
  const [comments, setComments] = useState("");
  if (why) {
    return (
      <>
        <h3>It waits for a review</h3>
        <p>{why}</p>
      </>
    );
  }
  const review = (decision: ReviewDecision) => onReview(decision, comments.trim() || null);
  return (
    <form className="form" onSubmit={(event: FormEvent) => event.preventDefault()}>
      <h3>Your review</h3>
      <p className="quiet">A review is final. An approved proposal changes nothing before its branch is merged.</p>
      <label className="field">
        Comment
        <textarea rows={3} value={comments} onChange={(event) => setComments(event.target.value)} />
      </label>
      <p className="buttons">
        <button type="button" className="button button-main" aria-disabled={busy} onClick={() => review("APPROVE")}>
          Approve
        </button>
        <button type="button" className="button" aria-disabled={busy} onClick={() => review("REJECT")}>
          Reject
        </button>
      </p>
    </form>
  );
}

interface ExportProps {
  proposal: Proposal;
  why: string | null;
  busy: boolean;
  onExport: () => void;
}

function Export({ proposal, why, busy, onExport }: ExportProps) {
  const { branch, repo, commit, prUrl } = proposal;
  if (branch) {
    return (
      <>
        <h3>It waits for its branch to be merged</h3>
        <p>
          Review and merge the branch <code>{branch}</code> of <code>{repo}</code>, commit{" "}
          <code>{commit?.slice(0, 12)}</code>. The service loads the type by itself afterwards.
        </p>
        {prUrl && /^https?:/.test(prUrl) && (
          <p>
            <a href={prUrl} rel="noreferrer">
              Open the request to merge it
            </a>
          </p>
        )}
      </>
    );
  }
  return (
    <>
      <h3>It waits for its export</h3>
      {why ? (
        <p>{why}</p>
      ) : (
        <>
          <p className="quiet">
            The export makes a branch with the type’s file, its fixtures and the reasons. People review and merge it.
          </p>
          <p className="buttons">
            <button type="button" className="button button-main" aria-disabled={busy} onClick={onExport}>
              Export as a branch
            </button>
          </p>
        </>
      )}
    </>
  );
}

function Withdraw({ busy, onWithdraw }: { busy: boolean; onWithdraw: (reason: string | null) => void }) {
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (open) field.current?.focus();
  }, [open]);
  if (!open) {
    return (
      <p>
        <button ref={button} type="button" className="link-button" onClick={() => setOpen(true)}>
          Withdraw the proposal …
        </button>
      </p>
    );
  }
  const close = () => {
    setOpen(false);
    // The button is there again in the next picture.
    setTimeout(() => button.current?.focus());
  };
  return (
    <form
      className="form withdraw"
      onSubmit={(event) => {
        event.preventDefault();
        onWithdraw(reason.trim() || null);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <label className="field">
        Why you withdraw it
        <textarea ref={field} rows={2} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <p className="buttons">
        <button type="submit" className="button" aria-disabled={busy}>
          Withdraw it
        </button>
        <button type="button" className="button" onClick={close}>
          Keep it
        </button>
      </p>
    </form>
  );
}
