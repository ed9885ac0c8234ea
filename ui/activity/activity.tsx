import { drawn, linkHere, useResource, withQuery } from '../data/data.ts';
import { ListAndDetail, type PageProps, useChosen } from '../kit/kit.ts';
import { ClockMoveDetail } from './clock-moves.tsx';
import type { TraceProps } from './trace.tsx';
import { clockKey, TraceList, useTraces } from './trace-list.tsx';

/** The page of traces: a list, and beside it the selected trace. The address of a clock move ends with `clock/3`. */
export function Activity({ rest: [first, move], query }: PageProps) {
  const { hop: _hop, view: _view, ...filter } = Object.fromEntries(query);
  const link = withQuery(linkHere('activity'), filter);
  const list = useTraces();
  const chosen = useChosen(move === undefined ? first : clockKey(move), link, list.keys);
  const { key = '' } = chosen;
  return (
    <ListAndDetail
      name="Activity"
      about="Every request, event, timer and move of the clock, newest first, at the rehearsal’s time (UTC)"
      link={link}
      back="All traces"
      chosen={chosen}
      list={<TraceList {...list} selected={key} />}
      detail={
        key.startsWith(clockKey('')) ? (
          <ClockMoveDetail key={key} number={key.slice(clockKey('').length)} />
        ) : (
          <OpenTrace correlationId={key} query={query} />
        )
      }
      invitation={['The newest trace appears here.', 'It shows who called whom, when, and why a call was slow or failed.']}
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
