import { drawn, linkHere, useResource, withQuery } from '../data/data.ts';
import { ListAndDetail, type PageProps } from '../kit/kit.ts';
import { ClockMoveDetail } from './clock-moves.tsx';
import type { TraceProps } from './trace.tsx';
import { TraceList } from './trace-list.tsx';

/** The page of traces: a list, and beside it the selected trace. The address of a clock move ends with `clock/3`. */
export function Activity({ rest: [first, move], query }: PageProps) {
  const correlationId = move === undefined ? first : undefined;
  const { hop: _hop, view: _view, ...filter } = Object.fromEntries(query);
  return (
    <ListAndDetail
      name="Activity"
      about="Every request, event, timer and move of the clock, newest first, at the rehearsal’s time (UTC)"
      link={withQuery(linkHere('activity'), filter)}
      back="All traces"
      opened={move ?? first}
      list={<TraceList selected={correlationId} move={move} />}
      detail={
        correlationId === undefined ? (
          <ClockMoveDetail key={move} number={move ?? ''} />
        ) : (
          <OpenTrace correlationId={correlationId} query={query} />
        )
      }
      invitation={['Select a trace.', 'It shows who called whom, when, and why a call was slow or failed.']}
    />
  );
}

/** The list needs none of the code that draws a trace. */
function OpenTrace(props: TraceProps) {
  const code = useResource('code of a trace', () => import('./trace.tsx'));
  // A browser keeps the failure of a module until the page is loaded again.
  const again = () => location.reload();
  return drawn({ ...code, reload: again }, ({ Trace }) => <Trace key={props.correlationId} {...props} />);
}
