// What is different between two definitions of a type, part by part and line by line.

import { useAddress } from "../../../shared/address";
import { difference, type Sign } from "../../../shared/diff";
import { counted } from "../../../shared/figures";
import { type Definition, partsOf } from "./type";

interface TypeDiffProps {
  /** Null if there is no such type yet. */
  before: Definition | null;
  after: Definition;
}

const SIGNS: Readonly<Record<Sign, { mark: string; spoken: string }>> = {
  same: { mark: " ", spoken: "" },
  gone: { mark: "−", spoken: "Removed: " },
  new: { mark: "+", spoken: "Added: " },
};

export function TypeDiff({ before, after }: TypeDiffProps) {
  const [address, change] = useAddress();
  const isWhole = address.get("whole") === "yes";
  const former = partsOf(before);
  const parts = partsOf(after).map(({ name, lines }, at) => ({
    name,
    pieces: difference(former[at]?.lines ?? [], lines),
  }));
  const all = parts.flatMap((part) => part.pieces);
  const number = (sign: Sign) => all.filter((piece) => piece.sign === sign).length;
  const same = number("same");
  if (same === all.length) return <p>Both say the same.</p>;
  return (
    <>
      <p className="diff-sum">
        <span>
          {counted(number("new"), "line")} added, {counted(number("gone"), "line")} removed
          {same > 0 && `, ${counted(same, "line")} unchanged`}.
        </span>
        {same > 0 && (
          <button type="button" className="link-button" onClick={() => change({ whole: isWhole ? null : "yes" })}>
            {isWhole ? "Show only what changes" : "Show the unchanged lines too"}
          </button>
        )}
      </p>
      <dl className="comparison diff">
        {parts.map(({ name, pieces }) => {
          const shown = isWhole ? pieces : pieces.filter((piece) => piece.sign !== "same");
          if (shown.length === 0) return null;
          return (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <ul>
                  {shown.map(({ sign, text }) => (
                    <li key={`${sign} ${text}`} className="comparison-row" data-sign={sign}>
                      <span className="diff-mark" aria-hidden="true">
                        {SIGNS[sign].mark}
                      </span>
                      <span>
                        <span className="unseen">{SIGNS[sign].spoken}</span>
                        {text}
                      </span>
                    </li>
                  ))}
                </ul>
              </dd>
            </div>
          );
        })}
      </dl>
    </>
  );
}
