import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Ms } from '../domain/time.ts';
import type { OutboxBacklog, WorldsBacklog } from '../store/ports/backlog.ts';
import type { AnsweredRequest, ConsumedEvent, DoneWork, MadeCall, Observed, Observer } from './observer.ts';

/** Wall time that the store has for one look at what waits in it; a scrape then goes out without it. */
const LOOK_MS = 1_000;

/** Seconds: a hop within the estate takes one or two milliseconds, a request that waits for a fault up to fifteen seconds. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const LAGS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300];
const BATCHES = [1, 2, 5, 10, 25, 50, 100];

export interface Described {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

interface Look<Seen> {
  readonly read: () => Promise<Seen>;
  readonly show: (seen: Seen) => void;
  readonly forget: () => void;
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The metrics of one process, in a registry of its own. Values of labels come from the catalog alone, so there are never more series
 * than it has names; ids and names of rehearsals stand in logs and traces.
 */
export function createMetrics() {
  const registry = new Registry();
  // Finer ones would wake fifteen idle processes a hundred times a second each.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  const described: Described[] = [];
  const metrics = estateMetrics(registry, (one) => void described.push(one));
  const looks: (() => Promise<void>)[] = [];
  let looking: Promise<unknown> | undefined;

  /** What lies in the store is looked at only when somebody asks, once for all who ask at the same time. */
  function look<Seen>(application: Observed, { read, show, forget }: Look<Seen>): void {
    looks.push(async () => {
      try {
        show(await inTime(read()));
      } catch {
        // No number is better than one of long ago.
        forget();
        metrics.backlogUnread.inc({ application });
      }
    });
  }

  return {
    observer: (application: Observed): Omit<Observer, 'tracer'> => counting(application, metrics),
    watchOutbox: (application: Observed, read: () => Promise<OutboxBacklog>): void => {
      look(application, {
        read,
        show: ({ events, oldestAt }) => {
          metrics.outboxEvents.set({ application }, events);
          metrics.outboxAge.set({ application }, oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1_000);
        },
        forget: () => {
          metrics.outboxEvents.remove({ application });
          metrics.outboxAge.remove({ application });
        },
      });
    },
    watchWorlds: (read: () => Promise<WorldsBacklog>): void => {
      look('gateway', {
        read,
        show: ({ rehearsals, pending, overdue, running, scheduled, withheld, parked }) => {
          metrics.rehearsals.set(rehearsals);
          metrics.deliveriesPending.set(pending);
          for (const [state, items] of Object.entries({ overdue, running, scheduled, withheld })) metrics.dueWork.set({ state }, items);
          metrics.parkedWork.set(parked);
        },
        forget: () => {
          for (const gauge of [metrics.rehearsals, metrics.deliveriesPending, metrics.parkedWork]) gauge.remove();
          for (const state of ['overdue', 'running', 'scheduled', 'withheld']) metrics.dueWork.remove({ state });
        },
      });
    },
    contentType: registry.contentType,
    /** Everything as Prometheus reads it. */
    async scrape(): Promise<string> {
      looking ??= Promise.all(looks.map((one) => one())).finally(() => {
        looking = undefined;
      });
      await looking;
      return registry.metrics();
    },
    /** All that the estate itself measures: what the documentation is held against. */
    described: (): readonly Described[] => described,
  };
}

type EstateMetrics = ReturnType<typeof estateMetrics>;

function estateMetrics(registry: Registry, describe: (one: Described) => void) {
  const registers = [registry];
  const described = <Label extends string>(type: Described['type'], name: string, help: string, labels: readonly Label[]) => {
    describe({ name, type, help, labels });
    return { name, help, labelNames: labels, registers };
  };
  const counter = <Label extends string>(name: string, help: string, labels: readonly Label[]) =>
    new Counter<Label>(described('counter', name, help, labels));
  const gauge = <Label extends string>(name: string, help: string, labels: readonly Label[]) =>
    new Gauge<Label>(described('gauge', name, help, labels));
  const histogram = <Label extends string>(name: string, help: string, labels: readonly Label[], buckets: number[]) =>
    new Histogram<Label>({ ...described('histogram', name, help, labels), buckets });
  return {
    requests: histogram('http_server_requests_seconds', 'Requests answered.', ['application', 'api', 'status'], DURATIONS),
    calls: histogram('http_client_requests_seconds', 'Calls made to other applications.', ['application', 'api', 'outcome'], DURATIONS),
    replays: counter('estate_idempotent_replays_total', 'Requests answered with the answer kept for their Idempotency-Key.', [
      'application',
    ]),
    conflicts: counter('estate_commit_conflicts_total', 'Commits refused because others were faster.', ['application', 'why']),
    refusals: counter('estate_gateway_refusals_total', 'Requests that the gateway refused itself.', ['code']),
    work: histogram('estate_due_work_seconds', 'Due work that was run.', ['application', 'kind', 'outcome'], DURATIONS),
    consumed: histogram('estate_events_consumed_seconds', 'Attempts to consume an event.', ['application', 'type', 'outcome'], DURATIONS),
    parkedEvents: counter('estate_events_parked_total', 'Deliveries given up until somebody drives them again.', ['application', 'type']),
    published: counter('estate_events_published_total', 'Events that came on the bus.', ['application', 'type']),
    lag: histogram('estate_outbox_relay_lag_seconds', 'From commit of an event to its acknowledgement by the bus.', ['application'], LAGS),
    batches: histogram('estate_outbox_batch_events', 'Events sent at once.', ['application'], BATCHES),
    publishFailures: counter('estate_outbox_publish_failures_total', 'Batches that the bus did not take; they are sent again.', [
      'application',
    ]),
    outboxEvents: gauge('estate_outbox_events', 'Committed events that are not on the bus yet.', ['application']),
    outboxAge: gauge('estate_outbox_oldest_age_seconds', 'Age of the oldest of them; 0 when there is none.', ['application']),
    rehearsals: gauge('estate_rehearsals', 'Rehearsals that exist.', []),
    deliveriesPending: gauge('estate_deliveries_pending', 'Events owed to a subscriber.', []),
    dueWork: gauge('estate_due_work_items', 'Due work by what it waits for.', ['state']),
    parkedWork: gauge('estate_parked_work_items', 'Deliveries and due work given up until somebody drives them again.', []),
    backlogUnread: counter('estate_backlog_unread_total', 'Scrapes that went out without a look into the store.', ['application']),
  };
}

/** `2xx`, `4xx`, …: an answer that was broken off has no status. */
const classOf = (status: number): string => (status === 0 ? 'broken off' : `${Math.floor(status / 100)}xx`);

function counting(application: Observed, metrics: EstateMetrics): Omit<Observer, 'tracer'> {
  // One child per series, found by two lookups: the library's own way to a child sorts and joins the labels each time.
  const requests = children((api, status) => metrics.requests.labels({ application, api, status }));
  const calls = children((api, outcome) => metrics.calls.labels({ application, api, outcome }));
  const work = children((kind, outcome) => metrics.work.labels({ application, kind, outcome }));
  const consumed = children((type, outcome) => metrics.consumed.labels({ application, type, outcome }));
  const lag = metrics.lag.labels({ application });
  const batches = metrics.batches.labels({ application });
  return {
    answered: ({ api, status, ms }: AnsweredRequest) => requests(api, classOf(status)).observe(ms / 1_000),
    called: ({ api, status, failure, ms }: MadeCall) => calls(api, failure ?? classOf(status)).observe(ms / 1_000),
    replayed: () => metrics.replays.inc({ application }),
    conflicted: (why) => metrics.conflicts.inc({ application, why }),
    worked: ({ kind, done, ms }: DoneWork) => work(kind, done ? 'done' : 'failed').observe(ms / 1_000),
    consumed: ({ type, done, ms }: ConsumedEvent) => consumed(type, done ? 'done' : 'failed').observe(ms / 1_000),
    parked: (type) => metrics.parkedEvents.inc({ application, type }),
    published: (batch) => {
      const now: Ms = Date.now();
      batches.observe(batch.length);
      for (const { json, committedAt } of batch) {
        metrics.published.inc({ application, type: typeIn(json) });
        if (committedAt !== undefined) lag.observe(Math.max(0, now - committedAt) / 1_000);
      }
    },
    publishingFailed: () => metrics.publishFailures.inc({ application }),
    refused: (code) => metrics.refusals.inc({ code }),
  };
}

function children<Child>(make: (first: string, second: string) => Child): (first: string, second: string) => Child {
  const known = new Map<string, Map<string, Child>>();
  return (first, second) => {
    const seconds = known.get(first) ?? new Map<string, Child>();
    if (seconds.size === 0) known.set(first, seconds);
    const child = seconds.get(second) ?? make(first, second);
    seconds.set(second, child);
    return child;
  };
}

/** The name of an event, read from where its envelope has it: a whole event need not be parsed to be counted. */
function typeIn(json: string): string {
  return /"type":"com\.unified-commerce\.([^"]+)"/.exec(json)?.[1] ?? 'unknown';
}

async function inTime<Seen>(reading: Promise<Seen>): Promise<Seen> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('too slow')), LOOK_MS);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}
