// Shares of one as small bars; each number also stands beside its bar.

import { Fragment } from "react";

/** A name, a share of one, and the number as it is written if that is not the share itself. */
export type Bar = readonly [name: string, share: number, text?: string];

export function Bars({ bars }: { bars: readonly Bar[] }) {
  return (
    <dl className="bars">
      {bars.map(([name, share, text]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            <span className="bar-track" aria-hidden="true">
              <span style={{ width: `${100 * Math.min(1, Math.max(0, share))}%` }} />
            </span>
            <span>{text ?? share.toFixed(2)}</span>
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
