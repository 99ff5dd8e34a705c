// The server does not answer, and something that it said before is shown.

export function Away() {
  return (
    <p className="notice notice-wrong" role="alert">
      The server does not answer at the moment. This is what it said last; the page goes on trying.
    </p>
  );
}
