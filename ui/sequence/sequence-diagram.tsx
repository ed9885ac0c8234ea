import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TraceViewProps } from '../activity/call-tree.tsx';
import { Scroll, useRowWindow } from '../kit/kit.ts';
import { Heads, Messages } from './drawing.tsx';
import css from './sequence.module.css';
import { GEOMETRY } from './sequence-layout.ts';
import { traceLayout } from './trace-layout.ts';

/** Who called whom, drawn at its own size. A wide trace scrolls; of a long one, the rows in view are drawn. */
export function SequenceDiagram({ tree, selected, hopLink }: TraceViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<number>();
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const watch = new ResizeObserver(([entry]) => entry && setRoom(Math.floor(entry.contentRect.width)));
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  const layout = useMemo(() => (room === undefined ? undefined : traceLayout(tree, room)), [tree, room]);
  const at = selected ? tree.rows.indexOf(selected) : -1;
  const { isPart, first, end, onScroll } = useRowWindow(frame, { count: layout ? tree.rows.length : 0, pitch: GEOMETRY.row, selected: at });
  const { head } = GEOMETRY;
  return (
    <Scroll
      frame={frame}
      class={`${css.frame} ${isPart ? css.isPart : ''}`}
      label={isPart ? `Sequence diagram of ${tree.rows.length} hops` : 'Sequence diagram'}
      onScroll={onScroll}
    >
      {layout && (
        // The names of the columns stay visible. The rows are a separate drawing.
        <>
          <svg class={`${css.sequence} ${css.heads}`} width={layout.columns.width} height={head} aria-hidden="true">
            <Heads columns={layout.columns} />
          </svg>
          {/* biome-ignore lint/a11y/noSvgWithoutTitle: the frame has the name; a title would cover the hops. */}
          <svg
            class={css.sequence}
            width={layout.columns.width}
            height={layout.height - head}
            viewBox={`0 ${head} ${layout.columns.width} ${layout.height - head}`}
          >
            <Messages layout={layout} hopLink={({ hop }) => hopLink(hop)} selected={selected} first={first} end={end} />
          </svg>
        </>
      )}
    </Scroll>
  );
}
