// Everything that the API says of a record, for those who want to see it.

import { useState } from "react";

export function AllFields({ of }: { of: unknown }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All fields</summary>
      {open && <pre className="fields">{JSON.stringify(of, null, 2)}</pre>}
    </details>
  );
}
