// What is known of a record as names and values, and a time.

import { Fragment, type ReactNode } from "react";
import { inFull, relative } from "../../shared/times";

/** Rows without a value are left out. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={inFull(at)}>
      {relative(at)}
    </time>
  );
}
