import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { drawn, linkHere, type Output, setQuery, useRead } from '../data/data.ts';
import { Card, counted, Empty, isNarrow, PageHead, type PageProps, Unknown, useKeys } from '../kit/kit.ts';
import { tables } from '../objects/catalog.ts';
import { NewestObjects } from '../objects/object-list.tsx';
import { axisOf, instantWords, panned, type Scale, showing, spanWords, type View, WHOLE, zoomed } from './axis.ts';
import { AxisView } from './axis-view.tsx';
import { ForkCard } from './fork-card.tsx';
import { KINDS, type Kind, MarkGlyph } from './mark-glyph.tsx';
import { MarksList } from './marks-list.tsx';
import { StatesAt } from './states-at.tsx';
import css from './timelines.module.css';

type Timeline = Output<'read-timeline'>;

/** Marks that the page reads. The newest stay. */
const MOST_MARKS = 2_000;

/** The timeline of an object: a lane per application, and the states at the clock line. */
export function Timelines({ rest: [type, id], query }: PageProps) {
  if (type !== undefined && id !== undefined) return <TimelineOf key={`${type}/${id}`} type={type} id={id} query={query} />;
  return <UnknownTimeline type={type} why="A timeline belongs to one object: open the object, then its timeline." />;
}

function TimelineOf({ type, id, query }: { type: string; id: string; query: URLSearchParams }) {
  const read = useRead(
    'read-timeline',
    { params: { type, id }, query: { limit: MOST_MARKS } },
    {
      follows: ['hops', 'clock', 'gap'],
      concerns: ([kind, data], shown) =>
        kind !== 'hops' || !shown || data.some(({ correlationId, path }) => isNear(shown, correlationId, path)),
    },
  );
  const { refusal } = read;
  if (refusal && (refusal.status === 404 || refusal.code === 'validation_failed')) {
    return <UnknownTimeline type={type} id={id} why={refusal.detail} />;
  }
  return drawn(read, (timeline) => <KnownTimeline timeline={timeline} query={query} />);
}

const isNear = ({ marks, objects }: Timeline, correlationId: string, path: string): boolean =>
  marks.some(({ trace }) => trace === correlationId) || objects.some(({ id }) => path.includes(id));

const UnknownTimeline = ({ type, id, why }: { type?: string | undefined; id?: string; why: string }) => (
  <Unknown
    title="Unknown timeline"
    words={`There is no timeline${type === undefined ? '' : ` of ${type}`}`}
    id={id}
    why={why}
    card={type !== undefined && tables[type] && <NewestObjects type={type} page="timelines" />}
  >
    <p>
      <a class="button" href={type === undefined ? linkHere('objects') : linkHere('objects', type)}>
        Objects
      </a>
    </p>
  </Unknown>
);

function KnownTimeline({ timeline, query }: { timeline: Timeline; query: URLSearchParams }) {
  const { type, id, name, now, objects, omitted, truncated } = timeline;
  const scale = useSignal<Scale>('folded');
  const view = useSignal<View>(WHOLE);
  const hidden = useSignal<ReadonlySet<Kind>>(new Set());
  const marks = useMemo(() => timeline.marks.filter(({ kind }) => !hidden.value.has(kind)), [timeline, hidden.value]);
  const axis = useMemo(() => axisOf(marks, Date.parse(now), scale.value), [marks, now, scale.value]);
  const end = axis.stops.at(-1) ?? Date.parse(now);
  const asked = Date.parse(query.get('at') ?? '');
  const at = Number.isNaN(asked) ? end : Math.min(end, Math.max(axis.stops[0] ?? end, asked));
  const stop = axis.stops.findLastIndex((one) => one <= at);
  const moveTo = (to: number): void => {
    view.value = showing(view.value, axis.placeOf(to));
    setQuery({ at: to >= end ? undefined : new Date(to).toISOString() });
  };
  const step = (by: number): void => moveTo(axis.stops[Math.min(axis.stops.length - 1, Math.max(0, stop + by))] ?? end);
  /** To the last stop before the line. */
  const back = (): void => (at > (axis.stops[stop] ?? at) ? step(0) : step(-1));
  const zoom = (factor: number): void => {
    view.value = zoomed(view.value, axis.placeOf(at), factor, axis);
  };
  const all = (): void => {
    view.value = WHOLE;
  };
  const keys = {
    '+': () => zoom(0.5),
    '=': () => zoom(0.5),
    '-': () => zoom(2),
    '0': all,
    ArrowLeft: back,
    ArrowRight: () => step(1),
    Home: () => step(-axis.stops.length),
    End: () => step(axis.stops.length),
  };
  useKeys(keys);
  const applications = new Set(timeline.marks.map(({ application }) => application)).size;
  const counts = Map.groupBy(timeline.marks, ({ kind }) => kind);
  const lost = timeline.marks.filter(({ what, trace }) => what === 'event' && trace === undefined).length;
  // A narrow window has the long list last.
  const list = timeline.marks.length > 0 && (
    <Card title="Near the clock line">
      <MarksList marks={marks} at={at} />
    </Card>
  );
  return (
    <div class="stack">
      <PageHead
        title={`Timeline of ${name}`}
        badge={<a href={linkHere('play', type, id)}>Play</a>}
        back={[linkHere('objects', type, id), `The ${type.replaceAll('-', ' ')}`]}
      />
      <Card label="Timeline">
        <div class={css.tools}>
          <span class={css.instant} data-instant="">
            {instantWords(at)}
          </span>
          <span class="muted small">
            {counted(marks.length, 'mark')} over {counted(applications, 'application')}, {spanWords(end - (axis.stops[0] ?? end))}
          </span>
          {marks.length > 0 && (
            <span class={`line ${css.push}`}>
              {(['folded', 'true'] as const).map((one) => (
                <button
                  key={one}
                  type="button"
                  class="badge"
                  aria-pressed={scale.value === one ? 'true' : 'false'}
                  title={one === 'folded' ? 'Quiet spans are short' : 'Equal widths are equal times'}
                  onClick={() => {
                    scale.value = one;
                    all();
                  }}
                >
                  {one === 'folded' ? 'Folded' : 'True scale'}
                </button>
              ))}
              {/* In a narrow window, the view follows the slider. */}
              {!isNarrow.value && (
                <>
                  <button type="button" aria-label="Earlier" onClick={() => (view.value = panned(view.value, -0.5))}>
                    ‹
                  </button>
                  <button type="button" aria-label="Later" onClick={() => (view.value = panned(view.value, 0.5))}>
                    ›
                  </button>
                </>
              )}
              <button type="button" aria-label="Zoom out" onClick={() => zoom(2)}>
                −
              </button>
              <button type="button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
                +
              </button>
              <button type="button" onClick={all}>
                All
              </button>
            </span>
          )}
        </div>
        {(omitted > 0 || truncated || lost > 0) && (
          <p class="in muted small">
            {omitted > 0 && `${omitted.toLocaleString('en')} older marks are left out. `}
            {truncated && 'The journal of this rehearsal has discarded older calls. Their events are still here. '}
            {!truncated &&
              lost > 0 &&
              `The journal lacks the traces of ${counted(lost, 'event')}: the rehearsal this one continues may have them.`}
          </p>
        )}
        {timeline.marks.length === 0 ? (
          <Empty title="Nothing has happened to it in this rehearsal.">
            <p class="muted">It is part of the initial data. A call that names or changes it puts a mark here.</p>
          </Empty>
        ) : (
          <>
            <AxisView
              axis={axis}
              marks={marks}
              view={view.value}
              at={at}
              onAt={moveTo}
              onView={(to) => {
                view.value = to;
              }}
            />
            <p class={css.slider}>
              <input
                type="range"
                aria-label="Clock line"
                aria-valuetext={instantWords(at)}
                // A single stop is the end.
                min={Math.min(0, axis.stops.length - 2)}
                max={axis.stops.length - 1}
                step={1}
                value={stop}
                onInput={({ currentTarget }) => step(Number(currentTarget.value) - stop)}
                onKeyDown={(event) => {
                  if (event.key !== '+' && event.key !== '-' && event.key !== '=' && event.key !== '0') return;
                  event.preventDefault();
                  keys[event.key]();
                }}
              />
            </p>
            <fieldset class={css.legend} aria-label="Kinds of marks">
              {KINDS.filter((kind) => counts.has(kind)).map((kind) => (
                <button
                  key={kind}
                  type="button"
                  aria-pressed={hidden.value.has(kind) ? 'false' : 'true'}
                  onClick={() => {
                    const next = new Set(hidden.value);
                    if (!next.delete(kind)) next.add(kind);
                    hidden.value = next;
                  }}
                >
                  <MarkGlyph kind={kind} outcome="ok" /> {kind} {counts.get(kind)?.length}
                </button>
              ))}
              {!isNarrow.value && (
                <span class={`muted small line ${css.push}`}>
                  <span>
                    <kbd>←</kbd> <kbd>→</kbd> next mark
                  </span>
                  <span>
                    <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom
                  </span>
                </span>
              )}
            </fieldset>
          </>
        )}
      </Card>
      <div class="over">
        {!isNarrow.value && list}
        <div class="stack">
          <Card title="At that instant">
            <StatesAt objects={objects} at={at} />
          </Card>
          <ForkCard timeline={timeline} at={at} />
        </div>
        {isNarrow.value && list}
      </div>
    </div>
  );
}
