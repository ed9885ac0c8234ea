import { apiTitle, applicationTitle, control, drawn, linkHere, type Output, useRead, withQuery } from '../data/data.ts';
import { type GrowingList, useGrowingList } from '../data/growing-list.ts';
import { Badge, counted, Empty, Heading, Row, rehearsalTime, shortId, wallTime } from '../kit/kit.ts';
import { lengthOf } from '../sequence/clock-jumps.ts';
import css from './activity.module.css';
import type { Trace } from './trace-row.tsx';

type ClockMove = Output<'list-clock-moves'>['items'][number];

/** Moves that a list shows. */
const MOST_MOVES = 100;
/** Timers that a row names. */
const FEW_TIMERS = 3;

/** The moves of the clock, kept up to date. New ones wait while the list is in use. */
export const useClockMoves = (isInUse: () => boolean): GrowingList<ClockMove> =>
  useGrowingList({
    key: 'moves',
    read: (before, signal) => control('list-clock-moves', { query: { before, limit: MOST_MOVES } }, { signal }),
    keyOf: ({ number }) => number,
    placeOf: ({ number }) => number,
    follows: ['clock'],
    isInUse,
  });

type Entry =
  | { readonly kind: 'trace'; readonly trace: Trace }
  | { readonly kind: 'move'; readonly move: ClockMove }
  /** A day of the rehearsal's clock: `2026-11-22`. */
  | { readonly kind: 'day'; readonly day: string };

/** Traces and moves in one list, newest first, with each day of the rehearsal's clock if there are several. @param isWhole whether there are no older traces */
export function timeline(traces: readonly Trace[], moves: readonly ClockMove[], isWhole: boolean): readonly Entry[] {
  const first = isWhole ? 0 : (traces.at(-1)?.sequence ?? 0);
  const left = moves.filter(({ after }) => after >= first);
  const entries: (Entry & { readonly at: string })[] = [];
  for (const trace of traces) {
    while (left[0] && left[0].after >= trace.sequence) entries.push(entryOf(left.shift()));
    entries.push({ kind: 'trace', trace, at: trace.at });
  }
  entries.push(...left.map(entryOf));
  const days = new Set(entries.map(({ at }) => at.slice(0, 10)));
  if (days.size < 2) return entries;
  return entries.flatMap((entry, place) => {
    const day = entry.at.slice(0, 10);
    return day === entries[place - 1]?.at.slice(0, 10) ? [entry] : [{ kind: 'day', day } as const, entry];
  });
}

const entryOf = (move = {} as ClockMove) => ({ kind: 'move', move, at: move.to }) as const;

const DAY = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

export const DayRow = ({ day }: { day: string }) => (
  <li class={css.day} title="The date on the rehearsal’s clock">
    {DAY.format(new Date(day))}
  </li>
);

const moveLink = ({ number }: Pick<ClockMove, 'number'>): string => linkHere('activity', 'clock', String(number));
const titleOf = ({ from, to }: ClockMove): string => `Clock +${lengthOf(Date.parse(to) - Date.parse(from))}`;

/** A move of the clock, and below it the first timers that it ran. */
export function MoveRow({ move, isSelected }: { move: ClockMove; isSelected: boolean }) {
  const { from, to, movedAt, ran, timers } = move;
  return (
    <Row
      href={moveLink(move)}
      class={css.move}
      data-move=""
      isCurrent={isSelected}
      what={titleOf(move)}
      badge={<Badge>{ran === 0 ? 'nothing was due' : `${counted(ran, 'timer')} ran`}</Badge>}
      title={`${wallTime(movedAt)} your time`}
      meta={[`${rehearsalTime(from)} → ${rehearsalTime(to)}`]}
    >
      {timers.length > 0 && (
        <ul class={css.timers}>
          {timers.slice(0, FEW_TIMERS).map((timer) => (
            <TimerRow key={timer.requestId} timer={timer} />
          ))}
          {ran > FEW_TIMERS && (
            <li>
              <a href={moveLink(move)}>and {(ran - FEW_TIMERS).toLocaleString('en')} more</a>
            </li>
          )}
        </ul>
      )}
    </Row>
  );
}

const TimerRow = ({ timer: { application, at, correlationId, key, kind, requestId } }: { timer: ClockMove['timers'][number] }) => (
  <Row
    href={withQuery(linkHere('activity', correlationId), { hop: requestId })}
    title={`${kind} of ${key}`}
    what={apiTitle(`due:${kind}`)}
    meta={[applicationTitle(application), shortId(key), rehearsalTime(at)]}
  />
);

/** What a move of the clock did: its timers, each with its hop. */
export function ClockMoveDetail({ number }: { number: string }) {
  const before = /^[1-9]\d{0,14}$/.test(number) ? Number(number) + 1 : 1;
  const read = useRead('list-clock-moves', { query: { before, limit: 1 } });
  return drawn(read, ({ items: [move] }) => (move?.number === before - 1 ? <KnownMove move={move} /> : <UnknownMove />));
}

const UnknownMove = () => (
  <Empty title="The clock was not moved so often, or the record is gone.">
    <p class="muted">A rehearsal keeps its newest 200 moves.</p>
  </Empty>
);

const KnownMove = ({ move }: { move: ClockMove }) => (
  <>
    <header>
      <div>
        <Heading title={titleOf(move)} small>
          {titleOf(move)}
        </Heading>
        <p class="muted">
          From {rehearsalTime(move.from)} to {rehearsalTime(move.to)}, moved at {wallTime(move.movedAt)} your time
        </p>
      </div>
    </header>
    <p class={css.sentence}>
      {move.ran === 0 ? 'Nothing was due on the way.' : `${counted(move.ran, 'timer')} ran, in this order. Each opens its trace.`}
    </p>
    <ul class="rows">
      {move.timers.map((timer) => (
        <TimerRow key={timer.requestId} timer={timer} />
      ))}
    </ul>
    {move.ran > move.timers.length && <p class="in muted">The first {move.timers.length} are shown.</p>}
  </>
);
