import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { applicationTitle } from '../data/data.ts';
import { isNarrow } from '../kit/kit.ts';
import { type Axis, type Cluster, clustersOf, type Mark, panned, ticksOf, type View, zoomed } from './axis.ts';
import { KINDS, MarkGlyph } from './mark-glyph.tsx';
import css from './timelines.module.css';

interface AxisViewProps {
  readonly axis: Axis;
  readonly marks: readonly Mark[];
  readonly view: View;
  /** Epoch milliseconds of the clock line. */
  readonly at: number;
  readonly onView: (view: View) => void;
  readonly onAt: (at: number) => void;
}

/** Factor of a step of the wheel of a mouse, which reports about 100 pixels. */
const WHEEL = 1.002;

/** A lane per application with its marks, and the clock line. The list of marks has the same content for screen readers. */
export function AxisView({ axis, marks, view, at, onView, onAt }: AxisViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const latest = useRef({ axis, view, onView, onAt });
  latest.current = { axis, view, onView, onAt };
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const watch = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    watch.observe(current);
    const placeAt = (event: MouseEvent): number => {
      const { left, width: whole } = current.getBoundingClientRect();
      const { from, to } = latest.current.view;
      return from + ((event.clientX - left) / Math.max(1, whole)) * (to - from);
    };
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const { view: shown, axis: drawnAxis, onView: show } = latest.current;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) show(panned(shown, event.deltaX / Math.max(1, current.clientWidth)));
      else show(zoomed(shown, placeAt(event), WHEEL ** event.deltaY, drawnAxis));
    };
    const move = (event: PointerEvent): void => latest.current.onAt(latest.current.axis.instantAt(placeAt(event)));
    const onDown = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      // A finger may be about to scroll the page: the line follows when it moves sideways, or when it was a tap.
      if (event.pointerType === 'touch') {
        current.setPointerCapture(event.pointerId);
        return;
      }
      event.preventDefault();
      const mark = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-at]') : null;
      if (mark) latest.current.onAt(Number(mark.dataset['at']));
      else {
        current.setPointerCapture(event.pointerId);
        move(event);
      }
    };
    const onMove = (event: PointerEvent): void => {
      if (current.hasPointerCapture(event.pointerId)) move(event);
    };
    current.addEventListener('wheel', onWheel, { passive: false });
    current.addEventListener('pointerdown', onDown);
    current.addEventListener('pointermove', onMove);
    current.addEventListener('pointerup', onMove);
    return () => {
      watch.disconnect();
      current.removeEventListener('wheel', onWheel);
      current.removeEventListener('pointerdown', onDown);
      current.removeEventListener('pointermove', onMove);
      current.removeEventListener('pointerup', onMove);
    };
  }, []);
  const lanes = useMemo(() => lanesOf(marks), [marks]);
  const line = ((axis.placeOf(at) - view.from) / (view.to - view.from)) * width;
  return (
    <div class={css.axis} aria-hidden="true" data-axis="">
      {!isNarrow.value && (
        <div class={css.names}>
          {[...lanes.keys()].map((application) => (
            <LaneName key={application} application={application} />
          ))}
        </div>
      )}
      <div class={css.frame} ref={frame}>
        <div class={css.ticks}>
          {ticksOf(axis, view, width).map(({ x, words }) => (
            <span key={x} style={{ '--x': `${x}px` }}>
              {words}
            </span>
          ))}
        </div>
        {[...lanes].map(([application, indices]) => (
          <Fragment key={application}>
            {isNarrow.value && <LaneName application={application} />}
            <div class={css.lane}>
              {clustersOf(indices, marks, axis, view, width).map((cluster) => (
                <ClusterView key={cluster.x} {...cluster} />
              ))}
            </div>
          </Fragment>
        ))}
        {line >= 0 && line <= width && <div class={css.line} style={{ '--x': `${line}px` }} data-line="" />}
      </div>
    </div>
  );
}

/** Beside its lane; above it in a narrow window. */
const LaneName = ({ application }: { application: string }) => <div class={`${css.name} clip`}>{applicationTitle(application)}</div>;

/** The indices of the marks of each application, sorted by the first mark. */
function lanesOf(marks: readonly Mark[]): ReadonlyMap<string, readonly number[]> {
  const lanes = new Map<string, number[]>();
  for (const [index, { application }] of marks.entries()) {
    const lane = lanes.get(application);
    if (lane) lane.push(index);
    else lanes.set(application, [index]);
  }
  return lanes;
}

/** Least room for a count, and for a word, in pixels. */
const COUNT_ROOM = 32;
const WORD_ROOM = 56;

/** A failure is never hidden behind others, and a change matters more than a call. */
const urgencyOf = ({ kind, outcome }: Mark): number => (outcome === 'ok' ? KINDS.indexOf(kind) : -1);

function ClusterView({ x, room, marks }: Cluster) {
  const [shown] = marks.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));
  const last = marks.at(-1);
  if (!shown || !last) return null;
  const others = marks.length - 1;
  const words =
    room >= WORD_ROOM ? `${shown.words}${others > 0 ? ` +${others}` : ''}` : others > 0 && room >= COUNT_ROOM ? String(marks.length) : '';
  return (
    <span class={css.mark} style={{ '--x': `${x}px`, '--room': `${room - 4}px` }} data-at={Date.parse(last.at)} title={titleOf(marks)}>
      <MarkGlyph {...shown} />
      {words !== '' && <span class="clip">{words}</span>}
    </span>
  );
}

/** Lines of a tooltip. */
const MOST_LINES = 8;

const titleOf = (marks: readonly Mark[]): string =>
  [
    ...marks.slice(0, MOST_LINES).map(({ words }) => words),
    ...(marks.length > MOST_LINES ? [`and ${marks.length - MOST_LINES} more`] : []),
  ].join('\n');
