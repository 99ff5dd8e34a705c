// Why the server refused a change, as it is said. Pure.

import { Refused } from "../../../shared/api";
import { messageOf } from "../../../shared/session";

/** Return why a change was refused, and what to do next. */
export function reasonOf(problem: unknown): string {
  if (problem instanceof Refused && problem.code === "version_conflict") {
    return "Somebody else changed it in the meantime. Look at it again, then try again.";
  }
  return sentence(messageOf(problem));
}

/** Return a message of the server as a sentence. */
export const sentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
