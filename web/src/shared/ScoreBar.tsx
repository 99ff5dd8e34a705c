// A number as a small bar. What it says stands beside it as text.

interface ScoreBarProps {
  /** The length, 0 to 1. */
  share: number;
  /** Whether it counts against something. */
  against?: boolean;
}

export function ScoreBar({ share, against = false }: ScoreBarProps) {
  return (
    <span className="score-bar" data-against={against} aria-hidden="true">
      <span style={{ width: `${100 * Math.min(1, Math.max(0, share))}%` }} />
    </span>
  );
}
