// A kind of the API in words, with its shape if pictures show it.

import { KindIcon } from "./KindIcon";
import { isKind, kindInWords } from "./kinds";

export function KindLabel({ kind }: { kind: string }) {
  const name = kind.toLowerCase();
  return (
    <span className="kind-label">
      {isKind(name) && <KindIcon kind={name} />} {kindInWords(kind)}
    </span>
  );
}
