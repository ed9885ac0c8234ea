import { TraceRow } from '../activity/trace-row.tsx';
import { apis } from '../data/catalog.ts';
import { drawn, estateLink, here, linkHere, type Output, useRead, useResource } from '../data/data.ts';
import { Card, counted, Empty, isNarrow, PageHead, Term } from '../kit/kit.ts';
import { ConnectCard } from './connect-card.tsx';
import { EstateMap } from './estate-map.tsx';
import { downByFault } from './estate-nodes.ts';
import { FirstSteps } from './first-steps.tsx';
import css from './overview.module.css';

const LATEST = 5;
/** Traces of the charts. */
const CHARTED = 100;
/** The call that shows most: it pays, reserves and routes. */
const EXAMPLE_API = 'confirm-order-api';

const FOLLOWING = { follows: ['hops', 'events', 'faults', 'gap'] } as const;

/** The first page of a rehearsal: its contents, the map of calls, settings of clients, and first steps. */
export function Overview() {
  const contents = useRead('read-rehearsal', { params: { name: here() } }, FOLLOWING);
  const estate = useRead('read-topology', undefined, FOLLOWING);
  const latest = useRead('list-traces', { query: { limit: CHARTED } }, FOLLOWING);
  const confirmed = useRead('list-traces', { query: { api: EXAMPLE_API, limit: 1 } }, FOLLOWING);
  const reread = (): void => {
    for (const { reload } of [contents, estate, latest, confirmed]) reload();
  };
  const example = confirmed.value?.items[0] ?? latest.value?.items[0];
  const facts = <Facts contents={contents.value} traces={latest.value?.items ?? []} />;
  return (
    <div class="stack">
      <PageHead title="Overview" badge={<Ready estate={estate.value} />}>
        <p class="muted wide brk">
          <Term word="Rehearsal">Rehearsal</Term> <b>{here()}</b>
          {contents.value && `, created ${ago(contents.value.createdAt)}. ${whoseTraffic()}`}
        </p>
      </PageHead>
      {!isNarrow.value && facts}
      <div class="over">
        <div class="stack">
          {drawn(estate, (value) => (
            <EstateMap estate={value} />
          ))}
          {isNarrow.value && facts}
          <Card title="Latest activity" aside={<a href={linkHere('activity')}>All activity</a>}>
            {drawn(latest, ({ items }) =>
              items.length === 0 ? (
                <Empty title="Nothing has happened here yet.">
                  <p class="muted">Place a digital order with the first step, or send your own request.</p>
                </Empty>
              ) : (
                <ul class="rows">
                  {items.slice(0, LATEST).map((trace) => (
                    <TraceRow key={trace.correlationId} trace={trace} />
                  ))}
                </ul>
              ),
            )}
          </Card>
        </div>
        <div class="stack">
          <FirstSteps contents={contents.value} estate={estate.value} example={example?.correlationId} onChange={reread} />
          <ConnectCard />
          <References />
        </div>
      </div>
    </div>
  );
}

/** How many applications are ready: a link to the faults that took others down. */
function Ready({ estate }: { estate: Output<'read-topology'> | undefined }) {
  if (!estate) return null;
  const down = downByFault(estate).length;
  const { applications } = estate;
  const ready = `${applications.filter(({ state }) => state === 'ready').length - down} of ${applications.length}`;
  const isDown = down > 0;
  return (
    <a class={`badge ${isDown ? 'warn' : 'good'}`} href={linkHere(isDown ? 'faults' : 'activity')}>
      {ready} {isDown ? `ready · ${down} down because of a fault` : 'applications ready'}
    </a>
  );
}

interface FactsProps {
  readonly contents: Output<'read-rehearsal'> | undefined;
  /** The latest ones. The code of their charts is loaded after the page. */
  readonly traces: Output<'list-traces'>['items'];
}

function Facts({ contents, traces: latest }: FactsProps) {
  const code = useResource('code of the charts', () => import('./charts.tsx'));
  const { traces, events, hops = 0, objects = {} } = contents?.counts ?? {};
  const orders = Object.entries(objects['order'] ?? {}).filter(([, count]) => count > 0);
  const ordered = orders.reduce((sum, [, count]) => sum + count, 0);
  const states = orders.map(([state, count]) => (ordered === 1 ? state : `${count.toLocaleString('en')} ${state}`));
  const kept = {
    traces: [figureOf(traces), `${traces === 1 ? 'trace' : 'traces'}, ${counted(hops, 'hop')} on record`],
    events: [figureOf(events), `${events === 1 ? 'event' : 'events'} published`],
  } as const;
  return (
    <div class={css.facts}>
      <Fact
        figure={contents && figureOf(ordered)}
        words={[ordered === 1 ? 'order' : 'orders', ...states].join(', ')}
        link={linkHere('objects', 'order')}
      />
      {code.value && latest.length > 1 ? (
        <code.value.Charts traces={latest} kept={kept} css={css} />
      ) : (
        <>
          <Fact figure={kept.traces[0]} words={kept.traces[1]} link={linkHere('activity')} />
          <Fact figure={kept.events[0]} words={kept.events[1]} link={linkHere('events')} />
        </>
      )}
    </div>
  );
}

const Fact = ({ figure, words, link }: { figure: string | undefined; words: string; link: string }) => (
  <a class={`card ${css.fact}`} href={link}>
    <b>{figure ?? '…'}</b> <span>{words}</span>
  </a>
);

const figureOf = (count: number | undefined): string | undefined => count?.toLocaleString('en');

const whoseTraffic = (): string =>
  here() === 'default' ? 'Every request without X-Rehearsal comes here.' : 'Nobody else sees what happens here.';

/** Wall time since an instant, roughly. */
function ago(instant: string): string {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(instant)) / 60_000));
  if (minutes === 0) return 'just now';
  if (minutes < 90) return `${counted(minutes, 'minute')} ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${counted(hours, 'hour')} ago` : `${counted(Math.round(hours / 24), 'day')} ago`;
}

function References() {
  const offered = Object.values(apis).filter(({ audience }) => audience !== 'internal').length;
  const links = [
    ['api', `${offered} APIs, with try-it-out`],
    ['events', 'Events, who sends and who takes them'],
    ['problems', 'Problem codes'],
    ['values', 'Magic values'],
  ];
  return (
    <Card title="Reference">
      <ul class="in stack">
        {links.map(([part = '', text]) => (
          <li key={part}>
            <a href={estateLink('reference', part)}>{text}</a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
