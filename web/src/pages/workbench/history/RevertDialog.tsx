// The question before a revert: what it would change. Nothing changes before the server agrees.

import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Refusal } from "../record/Refusal";
import type { Change } from "./changes";
import { Changes } from "./Changes";

interface RevertDialogProps {
  version: number;
  latest: number;
  changes: readonly Change[];
  busy: boolean;
  /** Why the server refused; null if it has not. */
  problem: unknown;
  onNo: () => void;
  onYes: () => void;
}

export function RevertDialog({ version, latest, changes, busy, problem, onNo, onYes }: RevertDialogProps) {
  return (
    <ModalOverlay
      className="cover revert-cover"
      isOpen
      isDismissable={!busy}
      isKeyboardDismissDisabled={busy}
      onOpenChange={(open) => {
        if (!open) onNo();
      }}
    >
      <Modal className="revert">
        <Dialog className="revert-dialog">
          <Heading slot="title" level={2}>
            Revert to version {version}?
          </Heading>
          <p>
            The record gets the content of version {version} again, as a new version. Versions {version} to {latest}{" "}
            stay, and you can revert the revert.
          </p>
          {changes.length === 0 ? (
            <p className="quiet">The record has that content already, so nothing would change.</p>
          ) : (
            <>
              <h3>What would change</h3>
              <Changes changes={changes} />
            </>
          )}
          <p className="quiet">
            What others added since, such as evidence, stays. If more is kept, the answer says what.
          </p>
          {problem !== null && <Refusal what="It was not reverted." problem={problem} />}
          <p className="buttons">
            <button type="button" className="button button-main" aria-disabled={busy} onClick={() => !busy && onYes()}>
              {busy ? "Reverting …" : `Revert to version ${version}`}
            </button>
            <button type="button" className="button" aria-disabled={busy} onClick={() => !busy && onNo()}>
              Cancel
            </button>
          </p>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
