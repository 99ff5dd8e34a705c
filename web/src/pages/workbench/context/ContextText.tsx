// The text of a context, section by section, as a person reads it.

import { KindLabel } from "../../../shared/KindLabel";
import { counted } from "../../../shared/figures";
import { type Context, filled, type Item, type Names, readLine, SECTIONS } from "./reading";

interface ContextTextProps {
  context: Context;
  names: Names;
}

export function ContextText({ context, names }: ContextTextProps) {
  return (
    <>
      {filled(context.sections).map((section) => (
        <section key={section.name} className="context-section" aria-labelledby={`section-${section.name}`}>
          <h3 id={`section-${section.name}`}>
            {SECTIONS[section.name]} <small>{counted(section.items.length, "item")}</small>
          </h3>
          <ul>
            {section.items.map((item) => (
              <LineOf key={item.rank} item={item} names={names} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function LineOf({ item, names }: { item: Item; names: Names }) {
  const line = readLine(item.text, names);
  return (
    <li>
      <KindLabel kind={item.kind} />
      <div>
        <p>{line.text}</p>
        {line.about.length > 0 && <small>{line.about.join(" · ")}</small>}
      </div>
    </li>
  );
}
