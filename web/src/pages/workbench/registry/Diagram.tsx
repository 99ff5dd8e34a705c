// The state diagram of a type: the picture, and the same as a list.

import { useMemo } from "react";
import { useAddress } from "../../../shared/address";
import { counted } from "../../../shared/figures";
import { inWords } from "../../../shared/kinds";
import { isNarrow } from "../../../shared/narrow";
import { Picture } from "../../../shared/Picture";
import { elementsOf, statusOf } from "./diagram";
import { StatusShape } from "./StatusShape";
import { type Definition, needsOf, nextOf, ROLES, roleOf, statusesOf, statusInWords, whoMay } from "./type";

interface DiagramProps {
  type: Definition;
  /** What the type was before a change, if the picture shows the change. */
  former?: Definition | null;
}

export function Diagram({ type, former = null }: DiagramProps) {
  const [address, change] = useAddress();
  const direction = isNarrow() ? "down" : "right";
  const selected = address.get("at");
  const elements = useMemo(
    () => elementsOf(type, direction, former, selected),
    [type, direction, former, selected],
  );
  const number = counted(statusesOf(type).length, "status", "statuses");
  return (
    <Picture
      elements={elements}
      selected={selected}
      onSelect={(element) => change({ at: element && statusOf(element) })}
      subject={`${type.id} ${direction}`}
      label={`The state diagram of “${type.displayName}”: ${number}. The list of transitions has the same.`}
    />
  );
}

/** Each status, with what may follow and what that needs. */
export function Transitions({ type }: { type: Definition }) {
  const [address, change] = useAddress();
  const selected = address.get("at");
  return (
    <ul className="transitions">
      {statusesOf(type).map((status) => {
        const next = nextOf(type, status);
        const isHere = status === selected;
        return (
          <li key={status} data-here={isHere}>
            <button
              type="button"
              className="transitions-from"
              aria-pressed={isHere}
              onClick={() => change({ at: isHere ? null : status })}
            >
              <StatusShape role={roleOf(type, status)} />
              <span>
                {inWords(status)}
                <small>
                  {type.allowedStatuses.includes(status) ? ROLES[roleOf(type, status)] : "No action enters it any more"}
                </small>
              </span>
            </button>
            {next.length > 0 && (
              <ul aria-label={`What may follow ${statusInWords(status)}`}>
                {next.map((to) => (
                  <li key={to}>
                    <span aria-hidden="true">→ </span>
                    {statusInWords(to)}
                    <Needs type={type} status={to} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Needs({ type, status }: { type: Definition; status: string }) {
  const words = [whoMay(type, status), ...needsOf(type, status)].filter(Boolean).join("; ");
  return words ? <small>{words}</small> : null;
}
