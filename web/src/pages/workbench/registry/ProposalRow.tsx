// A proposal in a list.

import { Link } from "wouter";
import type { ProposalLineFragment } from "../../../generated/operations";
import { inWords, shortened } from "../../../shared/kinds";
import { Time } from "../Facts";
import { reviewInWords, titleOf } from "./proposal";

const REASON = 240;

export function ProposalRow({ proposal, isNew }: { proposal: ProposalLineFragment; isNew: boolean }) {
  const { createdBy, reviews } = proposal;
  return (
    <>
      <div className="sheet-head">
        <Link className="row-link" href={`/registry/${proposal.id}`}>
          {titleOf(proposal)}
        </Link>
        <ProposalStatus proposal={proposal} />
        {isNew && <span className="badge">new</span>}
      </div>
      <p>{shortened(proposal.rationale, REASON)}</p>
      <p className="quiet">
        Proposed by {createdBy?.name ?? "the service"}, <Time at={proposal.createdAt} />
        {reviews.map((review) => (
          <span key={review.at}>; {reviewInWords(review).toLowerCase()}</span>
        ))}
      </p>
    </>
  );
}

const TONES: Readonly<Partial<Record<ProposalLineFragment["status"], string>>> = {
  OPEN: "badge badge-open",
  APPROVED: "badge badge-good",
  MERGED: "badge badge-good",
  REJECTED: "badge badge-wrong",
};

export function ProposalStatus({ proposal }: { proposal: ProposalLineFragment }) {
  const { status, exportedAt } = proposal;
  return (
    <span className={TONES[status] ?? "badge"}>
      {status === "APPROVED" && exportedAt ? "Approved and exported" : inWords(status)}
    </span>
  );
}
