// One proposal: why it was made, what it would change, who decided, and what may be done with it.

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { MyselfDocument, ProposalDetailsDocument, TypeInForceDocument } from "../../../generated/operations";
import { ask } from "../../../shared/api";
import { counted } from "../../../shared/figures";
import { Empty, Failed, Loading } from "../../../shared/States";
import { inFull } from "../../../shared/times";
import { Facts, Time } from "../Facts";
import { AllFields } from "../record/AllFields";
import { Away } from "../record/Away";
import { Diagram, Transitions } from "./Diagram";
import { Decide } from "./Decide";
import { ProposalStatus } from "./ProposalRow";
import { fixturesOf, lifeOf, type Proposal, reviewInWords, titleOf } from "./proposal";
import { TypeDiff } from "./TypeDiff";

export function ProposalPage({ id }: { id: string }) {
  const details = useQuery({ queryKey: ["proposal", id], queryFn: () => ask(ProposalDetailsDocument, { id }) });
  const myself = useQuery({
    queryKey: ["myself"],
    queryFn: () => ask(MyselfDocument, {}),
    refetchInterval: 60_000,
  });
  if (details.isPending || myself.isPending) return <Loading what="the proposal" />;
  if (details.isError && !details.data) {
    return <Failed problem={details.error} onRetry={() => void details.refetch()} />;
  }
  if (myself.isError && !myself.data) {
    return <Failed problem={myself.error} onRetry={() => void myself.refetch()} />;
  }
  const proposal = details.data.node;
  if (proposal?.__typename !== "RegistryProposal") {
    return (
      <Empty title="There is no such proposal">
        <p>
          It belongs to another organisation, or the address is wrong.{" "}
          <Link href="/registry">Choose another proposal</Link>.
        </p>
      </Empty>
    );
  }
  const fixtures = fixturesOf(proposal.diff);
  return (
    <div className="sheet proposal">
      <Link className="back" href="/registry">
        ← Registry
      </Link>
      <header className="sheet-head">
        <h2>{titleOf(proposal)}</h2>
        <ProposalStatus proposal={proposal} />
      </header>
      {(details.isError || myself.isError) && <Away />}
      <Life proposal={proposal} />
      {proposal.statusReason && <p className="said-by">“{proposal.statusReason}”</p>}
      <Decide proposal={proposal} me={myself.data.me} />

      <section aria-labelledby="why">
        <h3 id="why">Why</h3>
        <p className="prose">{proposal.rationale}</p>
        <Texts title="Examples" texts={proposal.examples} />
        <Texts title="Risks" texts={proposal.risks} />
        <About proposal={proposal} />
      </section>

      <Changes proposal={proposal} />

      <section aria-labelledby="fixtures">
        <h3 id="fixtures">Fixtures</h3>
        {fixtures.length === 0 ? (
          <p className="quiet">It brings none of its own. The branch gets fixtures that the service writes.</p>
        ) : (
          fixtures.map((fixture) => (
            <div key={fixture.name}>
              <h4>{fixture.name}</h4>
              <ol className="sentences">
                {fixture.steps.map((step, at) => (
                  // Steps may repeat, and their order is what tells them apart.
                  <li key={`${at} ${step}`}>{step}</li>
                ))}
              </ol>
            </div>
          ))
        )}
      </section>

      <Reviews proposal={proposal} />
      <AllFields of={proposal} />
    </div>
  );
}

function Life({ proposal }: { proposal: Proposal }) {
  return (
    <ol className="life" aria-label="How far it is">
      {lifeOf(proposal).map(({ title, at, by, state }) => (
        <li key={title} data-state={state} aria-current={state === "next" ? "step" : undefined}>
          <strong>{title}</strong>
          <small>
            {at ? (
              <>
                <Time at={at} />
                {by && ` by ${by}`}
              </>
            ) : state === "next" ? (
              "comes next"
            ) : (
              "later"
            )}
          </small>
        </li>
      ))}
    </ol>
  );
}

function Texts({ title, texts }: { title: string; texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul className="sentences">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

function About({ proposal }: { proposal: Proposal }) {
  const authors = proposal.authors.nodes.map((author) => author.name);
  return (
    <Facts
      rows={[
        ["Asked for as", proposal.requestedName],
        ["Authors", authors.join(", ")],
        ["Submitted", inFull(proposal.createdAt)],
        [
          "In turn",
          proposal.turn ? (
            <Link href={`/turns/${proposal.turn.id}`}>{proposal.turn.key}</Link>
          ) : (
            proposal.createdFromTurnId
          ),
        ],
        ["History", <Link key="history" href={`/history/${proposal.id}`}>{counted(proposal.version, "version")}</Link>],
      ]}
    />
  );
}

function Changes({ proposal }: { proposal: Proposal }) {
  const { typeId, definition, subject, status } = proposal;
  const found = useQuery({
    queryKey: ["type-in-force", typeId],
    queryFn: () => ask(TypeInForceDocument, { id: typeId ?? "" }),
    enabled: typeId !== null && definition !== null,
  });
  const isOver = status === "REJECTED" || status === "WITHDRAWN";
  const title = isOver ? "What it would have changed" : status === "MERGED" ? "What it changed" : "What it would change";
  return (
    <section aria-labelledby="changes">
      <h3 id="changes">{title}</h3>
      {!definition ? (
        <p>
          {subject === "ACTION_TYPE"
            ? "The registry as it is now cannot take this change. What is proposed stands below, under “All fields”."
            : "It asks for a rule that the registry cannot express yet. People decide how to build it."}
        </p>
      ) : found.isPending ? (
        <Loading what="the type in force" />
      ) : found.isError && !found.data ? (
        <Failed problem={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <Compared inForce={found.data.actionTypes[0] ?? null} definition={definition} isMerged={status === "MERGED"} />
      )}
    </section>
  );
}

interface ComparedProps {
  inForce: NonNullable<Proposal["definition"]> | null;
  definition: NonNullable<Proposal["definition"]>;
  isMerged: boolean;
}

function Compared({ inForce, definition, isMerged }: ComparedProps) {
  return (
    <>
      {isMerged ? (
        <p>
          The type in force has all of it: <Link href={`/registry/${definition.id}`}>{definition.displayName}</Link>.
        </p>
      ) : inForce ? (
        <p className="quiet">
          Compared with the type in force, <Link href={`/registry/${inForce.id}`}>{inForce.displayName}</Link>.
        </p>
      ) : (
        <p className="quiet">No type has this name yet, so all of it is new.</p>
      )}
      {!isMerged && <TypeDiff before={inForce} after={definition} />}
      <h4>The life of an action</h4>
      <div className="diagram">
        <Diagram type={definition} former={inForce} />
      </div>
      <details>
        <summary>The same as a list</summary>
        <Transitions type={definition} />
      </details>
    </>
  );
}

function Reviews({ proposal }: { proposal: Proposal }) {
  return (
    <section aria-labelledby="reviews">
      <h3 id="reviews">Reviews</h3>
      {proposal.reviews.length === 0 ? (
        <p className="quiet">Nobody has reviewed it{proposal.status === "OPEN" ? " yet" : ""}.</p>
      ) : (
        <ul className="reviews">
          {proposal.reviews.map((review) => (
            <li key={review.at}>
              <p>
                <strong>{reviewInWords(review)}</strong>, <Time at={review.at} />
              </p>
              {review.comments && <p className="prose">{review.comments}</p>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
