import { applicationTitle, clockTime, linkHere, withQuery } from '../data/data.ts';
import { rehearsalSecond } from '../kit/kit.ts';
import type { Mark } from './axis.ts';
import { MarkGlyph } from './mark-glyph.tsx';
import css from './timelines.module.css';

/** Marks that the list shows before and after the clock line. */
const BEFORE = 40;
const AFTER = 20;

/** The marks near the clock line, with links to their traces and events. @param at epoch milliseconds of the clock line */
export function MarksList({ marks, at }: { marks: readonly Mark[]; at: number }) {
  const next = marks.findIndex((mark) => Date.parse(mark.at) > at);
  const line = next < 0 ? marks.length : next;
  const first = Math.max(0, line - BEFORE);
  const end = Math.min(marks.length, line + AFTER);
  return (
    <>
      {first > 0 && <p class="in muted small">{first.toLocaleString('en')} earlier: move the clock line to see them.</p>}
      <ol class={`lined ${css.marks}`} aria-label="Marks near the clock line">
        {marks.slice(first, line).map((mark) => (
          <MarkRow key={`${mark.what} ${mark.id} ${mark.words}`} mark={mark} />
        ))}
        <li class={css.here}>The clock line: {rehearsalSecond(new Date(at).toISOString())}</li>
        {marks.slice(line, end).map((mark) => (
          <MarkRow key={`${mark.what} ${mark.id} ${mark.words}`} mark={mark} isLater />
        ))}
      </ol>
      {end < marks.length && <p class="in muted small">{(marks.length - end).toLocaleString('en')} later.</p>}
    </>
  );
}

function MarkRow({ mark, isLater = false }: { mark: Mark; isLater?: boolean }) {
  const href = linkOf(mark);
  return (
    <li class={isLater ? css.later : undefined}>
      <time dateTime={mark.at}>{clockTime(mark.at)}</time>
      <MarkGlyph {...mark} />
      <span>
        {href === undefined ? mark.words : <a href={href}>{mark.words}</a>}
        <span class="unseen"> ({mark.kind})</span>
      </span>
      <span class="muted small">{applicationTitle(mark.application)}</span>
    </li>
  );
}

/** The hop in its trace, the event, or the move of the clock. Undefined for a hop whose trace is gone. */
function linkOf({ what, id, trace }: Mark): string | undefined {
  if (what === 'event') return linkHere('events', id);
  if (what === 'move') return linkHere('activity', 'clock', id);
  return trace === undefined ? undefined : withQuery(linkHere('activity', trace), { hop: id });
}
