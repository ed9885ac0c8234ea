import './activity.css';
import { drawn, navigate, rehearsalLink, useResource, withQuery } from '../data/data.ts';
import { Empty, Heading, useKeys, useListPlace } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { ClockMoveDetail } from './clock-moves.tsx';
import type { TraceProps } from './trace.tsx';
import { TraceList } from './trace-list.tsx';

/** What happened in a rehearsal: the traces, and beside them the one that is selected. */
export function Activity({ rehearsal, rest: [first, second], query }: PageProps) {
  const move = second;
  const correlationId = second === undefined ? first : undefined;
  const isOpen = first !== undefined;
  const { hop: _hop, view: _view, ...filter } = Object.fromEntries(query);
  const list = withQuery(rehearsalLink(rehearsal, 'activity'), filter);
  const place = useListPlace(list, second ?? correlationId);
  useKeys({ Escape: () => isOpen && navigate(list) });
  return (
    <div class={isOpen ? 'stack with-detail' : 'stack'}>
      <div class="title">
        {isOpen ? <p class="as-h1">Activity</p> : <Heading title={`Activity of ${rehearsal}`}>Activity</Heading>}
        {isOpen && (
          <a class="button below" href={list}>
            ← All traces
          </a>
        )}
        <p class="muted wide">Every request, event, timer and move of the clock, newest first</p>
      </div>
      <div class="acts" {...place}>
        <TraceList rehearsal={rehearsal} selected={correlationId} move={move} />
        {move !== undefined && <ClockMoveDetail key={move} rehearsal={rehearsal} number={move} />}
        {correlationId !== undefined && <OpenTrace rehearsal={rehearsal} correlationId={correlationId} query={query} />}
        {!isOpen && (
          <section class="card wide">
            <Empty title="Select a trace.">
              <p class="muted">It shows who called whom, when, and why a call was slow or failed.</p>
            </Empty>
          </section>
        )}
      </div>
    </div>
  );
}

/** The list needs none of the code that draws a trace. */
function OpenTrace(props: TraceProps) {
  const code = useResource('code of a trace', () => import('./trace.tsx'));
  // A browser keeps the failure of a module until the page is loaded again.
  const again = () => location.reload();
  return drawn({ ...code, reload: again }, ({ Trace }) => <Trace key={props.correlationId} {...props} />);
}
