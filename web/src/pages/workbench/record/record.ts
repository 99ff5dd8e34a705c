// What a record is called and where it is shown. Pure.

import type { RecordNameFragment } from "../../../generated/operations";
import { inWords, type Kind, LOOKS } from "../../../shared/kinds";

export interface Named {
  /** The kind that has an icon; null for others. */
  kind: Kind | null;
  /** What kind of thing it is, in words. */
  word: string;
  title: string;
  /** The view that shows it; null if none does. */
  href: string | null;
}

/** Return what a record is called. */
export function named(node: RecordNameFragment): Named {
  switch (node.__typename) {
    case "Goal":
      return shown("goal", node.title, `/lineage/${node.id}`);
    case "Observation":
      return shown("observation", node.content, inLineage(node.goals.nodes[0]?.id, node.id));
    case "PendingAction":
      return shown("pending_action", node.title, inLineage(node.goal?.id, node.id));
    case "Question":
      return shown("question", node.text, inLineage(node.goal?.id, node.id));
    case "Story":
      return shown("story", node.narrative, inLineage(node.question?.goal?.id, node.id));
    case "Session":
      return shown("session", node.task ?? node.key, `/sessions/${node.id}`);
    case "Turn":
      return other("Turn", node.key, `/turns/${node.id}`);
    case "ToolInvocation":
      return shown("tool_invocation", node.tool, null);
    case "Outcome":
      return shown("outcome", node.result ?? (node.success ? "Success" : "Failure"), null);
    case "StateExport":
      return other("State export", "All changes of a turn");
    case "RememberedMemory":
      return other(inWords(node.memoryKind), node.content);
    case "Lesson":
      return other("Lesson", node.statement);
    case "RegistryProposal":
      return other(
        "Proposal",
        node.displayName ?? node.requestedName ?? node.typeId ?? "A change of the registry",
        `/registry/${node.id}`,
      );
    case "ActionTypeOverride":
      return other("Action type", inWords(node.overridden), `/registry/${node.overridden}`);
    case "Entity":
      return other("Person or thing", node.name);
    case "Space":
      return other("Space", node.name);
    case "Actor":
      return other("Actor", node.name);
  }
}

const shown = (kind: Kind, title: string, href: string | null): Named => ({
  kind,
  word: LOOKS[kind].one,
  title,
  href,
});

const other = (word: string, title: string, href: string | null = null): Named => ({ kind: null, word, title, href });

const inLineage = (goal: string | undefined, node: string): string | null =>
  goal ? `/lineage/${goal}?node=${node}` : null;

/** Return words as a list that is read: `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
