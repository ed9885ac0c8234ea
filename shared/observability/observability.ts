import type { IncomingMessage, ServerResponse } from 'node:http';
// The entry of the library loads OpenTelemetry.
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import type { Logger } from '../process/logger.ts';
import { within } from '../process/waiting.ts';
import type { WorldsBacklog } from '../store/ports/ledger.ts';
import type { OutboxBacklog } from '../store/ports/outbox.ts';
import { callLabels, methodOf, processLabels, requestLabels, sendLabels } from './conventions.ts';
import type { MetricsExport } from './metrics-export.ts';
import {
  type AnsweredRequest,
  type ConsumedEvent,
  type MadeCall,
  type MetricValues,
  type Observed,
  type Observer,
  type RunWork,
  traceIds,
} from './observer.ts';
import type { Tracing } from './tracing.ts';

/** Telemetry of one process: metrics, an access log at level `info`, and traces and exported metrics when a collector is configured. */
export interface Observability {
  /** @param log receives the access log of the application */
  observer(application: Observed, log: Logger): Observer;
  watchOutbox(application: Observed, read: () => Promise<OutboxBacklog>): void;
  watchWorlds(read: () => Promise<WorldsBacklog>): void;
  /** Answers with the metrics of the whole process in the Prometheus text format. */
  answerMetrics(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Exports the remaining spans, and the metrics. */
  stop(): Promise<void>;
}

interface ObservabilityOptions {
  readonly tracing?: Tracing;
  /** Starts the export of the metrics. */
  readonly exportMetrics?: (read: () => Promise<readonly MetricValues[]>) => MetricsExport;
}

export function createObservability({ tracing, exportMetrics }: ObservabilityOptions = {}): Observability {
  const metrics = createMetrics();
  const exported = exportMetrics?.(metrics.values);
  return {
    observer: (application, log) => {
      const counting = metrics.observer(application);
      exported?.add(application);
      return {
        ...counting,
        tracer: tracing?.of(application),
        answered: (request) => {
          counting.answered(request);
          logAnswered(log, request);
        },
      };
    },
    watchOutbox: metrics.watchOutbox,
    watchWorlds: metrics.watchWorlds,
    answerMetrics: async (_request, response) => {
      const text = await metrics.scrape();
      response.setHeader('Content-Type', metrics.contentType);
      response.setHeader('Cache-Control', 'no-store');
      response.end(text);
    },
    stop: async () => {
      await Promise.all([tracing?.stop(), exported?.stop()]);
    },
  };
}

/** Logs one line per request. The route is a path template; the journal has the query and the ids of objects. */
function logAnswered(log: Logger, { ids, api, method, route, status, ms }: AnsweredRequest): void {
  if (!log.isLevelEnabled('info')) return;
  const { requestId, correlationId, world, traceparent } = ids;
  log.info(
    { requestId, correlationId, world, ...traceIds(traceparent), api, method, route, status, ms: Math.round(ms * 100) / 100 },
    'answered',
  );
}

/** Wall time for reading a backlog from the store. A slower one is left out of the scrape. */
const READ_MS = 1_000;
/** Resolution in milliseconds of the event loop's delay. With a finer one, every idle process would wake up a hundred times a second. */
const EVENT_LOOP_PRECISION_MS = 50;

interface Gauges<Backlog> {
  readonly read: () => Promise<Backlog>;
  readonly show: (backlog: Backlog) => void;
  readonly clear: () => void;
}

/** The metrics of one process. Labels come from the catalog only, which bounds the series; ids belong in logs and traces. */
export function createMetrics() {
  const registry = new Registry();
  const described: Described[] = [];
  const metrics = createEstateMetrics(registry, (metric) => void described.push(metric));
  const refreshes: (() => Promise<void>)[] = [];
  let refreshing: Promise<unknown> | undefined;
  let ofNode: Promise<void> | undefined;

  function refreshOnScrape<Backlog>(application: Observed, { read, show, clear }: Gauges<Backlog>): void {
    refreshes.push(async () => {
      try {
        const reading = read();
        if (!(await within(READ_MS, reading))) throw new Error('too slow');
        show(await reading);
      } catch {
        // A missing value is better than a stale one.
        clear();
        metrics.backlogUnread.inc({ application });
      }
    });
  }

  /** Concurrent scrapes and exports share one reading of the store. */
  async function refreshed(): Promise<void> {
    refreshing ??= Promise.all(refreshes.map((refresh) => refresh())).finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  }

  return {
    observer: (application: Observed): CountingObserver => createCountingObserver(application, metrics),
    watchOutbox: (application: Observed, read: () => Promise<OutboxBacklog>): void => {
      refreshOnScrape(application, {
        read,
        show: ({ events, oldestAt }) => {
          metrics.outboxEvents.set({ application }, events);
          metrics.outboxAge.set({ application }, oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1_000);
        },
        clear: () => {
          metrics.outboxEvents.remove({ application });
          metrics.outboxAge.remove({ application });
        },
      });
    },
    watchWorlds: (read: () => Promise<WorldsBacklog>): void => {
      refreshOnScrape('gateway', {
        read,
        show: ({ rehearsals, pending, overdue, running, scheduled, withheld, parked }) => {
          metrics.rehearsals.set(rehearsals);
          metrics.deliveriesPending.set(pending);
          for (const [state, items] of Object.entries({ overdue, running, scheduled, withheld })) metrics.dueWork.set({ state }, items);
          metrics.parkedWork.set(parked);
        },
        clear: () => {
          for (const gauge of [metrics.rehearsals, metrics.deliveriesPending, metrics.parkedWork]) gauge.remove();
          for (const state of ['overdue', 'running', 'scheduled', 'withheld']) metrics.dueWork.remove({ state });
        },
      });
    },
    contentType: registry.contentType,
    /** The metrics of the estate, with their values. */
    async values(): Promise<readonly MetricValues[]> {
      await refreshed();
      // The library declares the type of a metric as a number, and returns its name.
      return (await registry.getMetricsAsJSON()) as unknown as readonly MetricValues[];
    },
    /** All metrics in the Prometheus text format. */
    async scrape(): Promise<string> {
      await refreshed();
      ofNode ??= addMetricsOfNode(registry);
      await ofNode;
      return registry.metrics();
    },
    /** The metrics of the estate itself, for a test that compares them with the documentation. */
    described: (): readonly Described[] => described,
  };
}

/** They begin with the first scrape: their code and their timers would cost a process that nobody scrapes. */
async function addMetricsOfNode(register: Registry): Promise<void> {
  const { collectDefaultMetrics } = await import('prom-client');
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
}

/** An observer for metrics, without traces. */
type CountingObserver = Omit<Observer, 'tracer'>;

function createCountingObserver(application: Observed, metrics: EstateMetrics): CountingObserver {
  const requests = cached(
    ({ api, method, route, status }: AnsweredRequest) => `${api} ${methodOf(method)} ${route} ${status}`,
    (request) =>
      both(
        metrics.requests.labels({ application, api: request.api, ...requestLabels(request) }),
        metrics.requestsByClass.labels({ application, api: request.api, status: classOf(request.status) }),
      ),
  );
  const calls = cached(
    ({ api, status, failure }: MadeCall) => `${api} ${status} ${failure}`,
    (call) =>
      both(
        metrics.calls.labels({ application, api: call.api, ...callLabels(call) }),
        metrics.callsByOutcome.labels({ application, api: call.api, outcome: call.failure ?? classOf(call.status) }),
      ),
  );
  const work = cached(
    ({ kind, done }: RunWork) => `${kind} ${done}`,
    ({ kind, done }) => metrics.work.labels({ application, kind, outcome: outcomeOf(done) }),
  );
  const consumed = cached(
    ({ type, done }: ConsumedEvent) => `${type} ${done}`,
    (event) =>
      both(
        metrics.processed.labels({ application, ...processLabels(event, application) }),
        metrics.consumed.labels({ application, type: event.type, outcome: outcomeOf(event.done) }),
      ),
  );
  const published = cached(
    (type: string) => type,
    (type) => [metrics.sent.labels({ application, ...sendLabels(type) }), metrics.published.labels({ application, type })],
  );
  const lag = metrics.lag.labels({ application });
  const batches = metrics.batches.labels({ application });
  return {
    answered: (request) => requests(request)(request.ms / 1_000),
    called: (call) => calls(call)(call.ms / 1_000),
    replayed: () => metrics.replays.inc({ application }),
    conflicted: (why) => metrics.conflicts.inc({ application, why }),
    worked: (run) => work(run).observe(run.ms / 1_000),
    consumed: (event) => consumed(event)(event.ms / 1_000),
    parked: (type) => metrics.parkedEvents.inc({ application, type }),
    published: (batch) => {
      const now = Date.now();
      batches.observe(batch.length);
      for (const { json, committedAt } of batch) {
        for (const counted of published(eventNameIn(json))) counted.inc();
        if (committedAt !== undefined) lag.observe(Math.max(0, now - committedAt) / 1_000);
      }
    },
    publishingFailed: () => metrics.publishFailures.inc({ application }),
    refused: (code) => metrics.refusals.inc({ code }),
  };
}

interface Timed {
  observe(seconds: number): void;
}

/** A metric under its conventional name and under the estate's own. */
const both =
  (conventional: Timed, own: Timed) =>
  (seconds: number): void => {
    conventional.observe(seconds);
    own.observe(seconds);
  };

/** `2xx`, `4xx`, …; status 0 means that the connection was closed without a response. */
const classOf = (status: number): string => (status === 0 ? 'broken off' : `${Math.floor(status / 100)}xx`);
const outcomeOf = (done: boolean): string => (done ? 'done' : 'failed');

/** Keeps one child per series, found by one map lookup. The library sorts and joins the labels on every access. */
function cached<Occurrence, Child>(
  keyOf: (occurrence: Occurrence) => string,
  create: (occurrence: Occurrence) => Child,
): (occurrence: Occurrence) => Child {
  const known = new Map<string, Child>();
  return (occurrence) => {
    const key = keyOf(occurrence);
    const child = known.get(key) ?? create(occurrence);
    known.set(key, child);
    return child;
  };
}

/** The name of an event in its envelope. Parsing the whole event would cost more than counting it. */
const eventNameIn = (json: string): string => /"type":"com\.unified-commerce\.([^"]+)"/.exec(json)?.[1] ?? 'unknown';

/** Buckets in seconds. A hop within the estate takes one or two milliseconds, a request under a fault up to fifteen seconds. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const LAGS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300];
const MESSAGING = ['messaging_system', 'messaging_operation_name', 'messaging_destination_name'] as const;
const BATCHES = [1, 2, 5, 10, 25, 50, 100];

interface Described {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

type EstateMetrics = ReturnType<typeof createEstateMetrics>;

/** Creates every metric of the estate in a registry, and describes each to the caller. */
function createEstateMetrics(registry: Registry, describe: (metric: Described) => void) {
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
    requests: histogram(
      'http_server_request_duration_seconds',
      'Requests answered.',
      ['application', 'api', 'http_request_method', 'http_route', 'url_scheme', 'http_response_status_code', 'error_type'],
      DURATIONS,
    ),
    requestsByClass: histogram('http_server_requests_seconds', 'Requests answered, by class.', ['application', 'api', 'status'], DURATIONS),
    calls: histogram(
      'http_client_request_duration_seconds',
      'Calls made to other applications.',
      ['application', 'api', 'http_request_method', 'url_template', 'server_address', 'http_response_status_code', 'error_type'],
      DURATIONS,
    ),
    callsByOutcome: histogram('http_client_requests_seconds', 'Calls made, by outcome.', ['application', 'api', 'outcome'], DURATIONS),
    replays: counter('estate_idempotent_replays_total', 'Requests answered with the stored response of their Idempotency-Key.', [
      'application',
    ]),
    conflicts: counter('estate_commit_conflicts_total', 'Commits refused because of concurrent ones.', ['application', 'why']),
    refusals: counter('estate_gateway_refusals_total', 'Refusals of the gateway and of the control plane.', ['code']),
    work: histogram('estate_due_work_seconds', 'Runs of due work.', ['application', 'kind', 'outcome'], DURATIONS),
    processed: histogram(
      'messaging_process_duration_seconds',
      'Attempts to consume an event.',
      ['application', 'type', ...MESSAGING, 'messaging_consumer_group_name', 'error_type'],
      DURATIONS,
    ),
    consumed: histogram('estate_events_consumed_seconds', 'The same attempts.', ['application', 'type', 'outcome'], DURATIONS),
    parkedEvents: counter('estate_events_parked_total', 'Deliveries parked until they are redriven.', ['application', 'type']),
    sent: counter('messaging_client_sent_messages_total', 'Events that the bus accepted.', ['application', 'type', ...MESSAGING]),
    published: counter('estate_events_published_total', 'The same events.', ['application', 'type']),
    lag: histogram(
      'estate_outbox_relay_lag_seconds',
      'Time from the commit of an event to its acknowledgement by the bus.',
      ['application'],
      LAGS,
    ),
    batches: histogram('estate_outbox_batch_events', 'Events per batch sent.', ['application'], BATCHES),
    publishFailures: counter('estate_outbox_publish_failures_total', 'Batches that the bus did not accept; they are sent again.', [
      'application',
    ]),
    outboxEvents: gauge('estate_outbox_events', 'Committed events that are not on the bus yet.', ['application']),
    outboxAge: gauge('estate_outbox_oldest_age_seconds', 'Age of the oldest unsent event; 0 without any.', ['application']),
    rehearsals: gauge('estate_rehearsals', 'Rehearsals that exist.', []),
    deliveriesPending: gauge('estate_deliveries_pending', 'Events owed to a subscriber.', []),
    dueWork: gauge('estate_due_work_items', 'Due work by state.', ['state']),
    parkedWork: gauge('estate_parked_work_items', 'Deliveries and due work parked until they are redriven.', []),
    backlogUnread: counter('estate_backlog_unread_total', 'Scrapes without data from the store.', ['application']),
  };
}
