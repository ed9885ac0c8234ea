import { applicationTitle } from '../data/data.ts';
import { instantWords, type Mark } from './axis.ts';
import { MarkGlyph } from './mark-glyph.tsx';
import { markLink } from './mark-link.ts';
import css from './timelines.module.css';

/** Marks that the list shows before and after the clock line. */
const BEFORE = 20;
const AFTER = 10;

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
        {marks.slice(first, line).map((mark, place) => (
          <MarkRow key={keyOf(mark)} mark={mark} before={marks[first + place - 1]} isFirst={place === 0} />
        ))}
        <li class={css.here}>The clock line: {instantWords(at)}</li>
        {marks.slice(line, end).map((mark, place) => (
          <MarkRow key={keyOf(mark)} mark={mark} before={marks[line + place - 1]} isFirst={line === 0 && place === 0} isLater />
        ))}
      </ol>
      {end < marks.length && <p class="in muted small">{(marks.length - end).toLocaleString('en')} later.</p>}
    </>
  );
}

/** One commit may publish several events with one hop, so the id alone may repeat. */
const keyOf = ({ what, id, words }: Mark): string => `${what} ${id} ${words}`;

interface MarkRowProps {
  readonly mark: Mark;
  readonly before: Mark | undefined;
  readonly isFirst: boolean;
  readonly isLater?: boolean;
}

/** A mark with its time, and with the day if it differs from the day of the mark before. */
function MarkRow({ mark, before, isFirst, isLater = false }: MarkRowProps) {
  const href = markLink(mark);
  const [day, time] = [mark.at.slice(0, 10), mark.at.slice(11, 23)];
  return (
    <>
      {(isFirst || day !== before?.at.slice(0, 10)) && <li class={css.day}>{day}</li>}
      <li class={isLater ? css.later : undefined}>
        <time dateTime={mark.at}>{time}</time>
        <MarkGlyph {...mark} />
        <span class="brk">
          {href === undefined ? mark.words : <a href={href}>{mark.words}</a>}
          <span class="unseen"> ({mark.kind})</span>
        </span>
        <span class="muted small">{applicationTitle(mark.application)}</span>
      </li>
    </>
  );
}
