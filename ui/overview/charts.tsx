import { apiTitle, linkHere, type Output, withQuery } from '../data/data.ts';
import { counted, duration } from '../kit/kit.ts';

type Trace = Output<'list-traces'>['items'][number];

/** Points of a line. */
const POINTS = 40;
const MINUTE_MS = 60_000;

const lagOf = ({ startedAt, lastAt }: Trace): number => Date.parse(lastAt) - Date.parse(startedAt);

type Kept = readonly [figure: string | undefined, words: string];

interface ChartsProps {
  readonly traces: readonly Trace[];
  readonly kept: { readonly traces: Kept; readonly events: Kept };
  readonly css: Readonly<Record<string, string>>;
}

/**
 * The latest traces as lines over wall time: requests, events, refusals, the slowest one, and the time until all was delivered.
 * @param kept figure and words of all traces and events
 * @param css the classes of the overview: a sheet that is shared would be one more file of the first page
 */
export function Charts({ traces, kept, css }: ChartsProps) {
  const starts = traces.map(({ startedAt }) => Date.parse(startedAt));
  const from = Math.min(...starts);
  const span = Math.max(1, Math.max(...starts) - from);
  const minutes = Math.max(1, span / MINUTE_MS);
  const lineOf = (take: (trace: Trace) => number, joined: (one: number, other: number) => number): readonly number[] => {
    const points = Array<number>(POINTS).fill(0);
    for (const [place, trace] of traces.entries()) {
      const point = Math.min(POINTS - 1, Math.floor((((starts[place] ?? from) - from) / span) * POINTS));
      points[point] = joined(points[point] ?? 0, take(trace));
    }
    return points;
  };
  const sum = (one: number, other: number): number => one + other;
  const aMinute = (count: number): string => Math.round(count / minutes).toLocaleString('en');
  const refused = traces.filter(({ status }) => status >= 400 || status === 0);
  const slowest = traces.reduce((one, other) => (other.durationMs > one.durationMs ? other : one));
  const latest = traces.reduce((one, other) => (lagOf(other) > lagOf(one) ? other : one));
  const events = traces.reduce((count, trace) => count + trace.events, 0);
  const activity = (query = {}): string => withQuery(linkHere('activity'), query);
  const of = counted(traces.length, 'latest trace');
  return (
    <>
      <Chart
        css={css}
        figure={kept.traces[0]}
        words={`${kept.traces[1]}, lately ${aMinute(traces.length)} a minute`}
        line={lineOf(() => 1, sum)}
        link={activity()}
      />
      <Chart
        css={css}
        figure={kept.events[0]}
        words={`${kept.events[1]}, lately ${aMinute(events)} a minute`}
        line={lineOf((trace) => trace.events, sum)}
        link={linkHere('events')}
        tone="event"
      />
      <Chart
        css={css}
        figure={refused.length.toLocaleString('en')}
        words={`refused or failed of the ${of}`}
        line={lineOf((trace) => Number(refused.includes(trace)), sum)}
        link={activity({ status: 'refused' })}
        tone="bad"
      />
      <Chart
        css={css}
        figure={duration(slowest.durationMs)}
        words={`slowest: ${apiTitle(slowest.api)}`}
        line={lineOf(({ durationMs }) => durationMs, Math.max)}
        link={linkHere('activity', slowest.correlationId)}
        tone="warn"
      />
      <Chart
        css={css}
        figure={duration(lagOf(latest))}
        words={`lag: until the last delivery of ${apiTitle(latest.api)}`}
        line={lineOf(lagOf, Math.max)}
        link={linkHere('activity', latest.correlationId)}
        tone="move"
      />
    </>
  );
}

interface ChartProps {
  readonly css: Readonly<Record<string, string>>;
  readonly figure: string | undefined;
  readonly words: string;
  readonly line: readonly number[];
  readonly link: string;
  readonly tone?: string;
}

function Chart({ css, figure, words, line, link, tone = '' }: ChartProps) {
  const most = Math.max(1, ...line);
  const points = line.map((value, place) => `${place} ${(28 - (26 * value) / most).toFixed(1)}`).join('L');
  return (
    <a class={`card ${css['fact']} ${tone}`} href={link}>
      <b>{figure ?? '…'}</b> <span>{words}</span>
      <svg viewBox={`0 0 ${POINTS - 1} 30`} preserveAspectRatio="none" aria-hidden="true">
        <path d={`M0 30L${points}V30`} />
        <path d={`M${points}`} />
      </svg>
    </a>
  );
}
