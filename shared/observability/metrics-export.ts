import { type Attributes, type Histogram, type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { apis } from '../catalog/apis.ts';
import { topicOf } from '../catalog/applications.ts';
import type { ApiDefinition } from '../catalog/define.ts';
import { allEvents } from '../catalog/events.ts';
import { internalCalls } from '../catalog/internal-calls.ts';
import { objects } from '../catalog/objects.ts';
import { within } from '../process/waiting.ts';
import type { MetricValues, Observed, Observer } from './observer.ts';
import { type Collector, exportTo, resourceOf } from './otlp.ts';

/** This module is loaded by a dynamic import, and only when it is configured, because its libraries are expensive to load. */

/** What metrics with names of OpenTelemetry's semantic conventions need. */
export type ExportedObserver = Pick<Observer, 'answered' | 'called' | 'consumed' | 'published'>;

export interface MetricsExport {
  /** Counts the activity of an application, which is the `service.name` of its metrics. */
  of(application: Observed): ExportedObserver;
  /** Exports once more. A collector that does not answer delays a stop by at most two seconds. */
  stop(): Promise<void>;
}

interface MetricsExportOptions extends Collector {
  /** Wall time between exports. */
  readonly everyMs: number;
  /** The metrics of this process. */
  readonly read: () => Promise<readonly MetricValues[]>;
}

const STOP_MS = 2_000;
const SCOPE = 'unified-commerce-estate';
/** Buckets of durations in seconds, from the semantic conventions. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** The conventions replace other methods, so that a client cannot add series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The topic of each event. */
const TOPICS = new Map(
  allEvents.map(({ name, object }) => [name, objects.flatMap(({ type, domain }) => (type === object ? topicOf(domain) : []))[0]]),
);
const CALLS: Readonly<Record<string, ApiDefinition>> = { ...apis, ...internalCalls };

/** Starts to export metrics. Nothing is registered globally, because several estates may run in one process. */
export function startMetricsExport({ everyMs, read, ...collector }: MetricsExportOptions): MetricsExport {
  const exporter = new OTLPMetricExporter(exportTo(collector, 'metrics'));
  const startTime = hrTimeOf(Date.now());
  const known = new Map<Observed, ExportedObserver>();
  const providers: MeterProvider[] = [];

  function start(application: Observed): ExportedObserver {
    const resource = resourceOf(application, collector);
    /** The metrics of `/metrics`, under their own names. */
    const own: MetricProducer = {
      collect: async () => {
        const endTime = hrTimeOf(Date.now());
        const metrics = (await read()).flatMap((one) => metricData(one, { application, startTime, endTime }));
        return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: SCOPE }, metrics }] }, errors: [] };
      },
    };
    const timing = { exportIntervalMillis: everyMs, exportTimeoutMillis: Math.min(everyMs, STOP_MS) };
    const reader = new PeriodicExportingMetricReader({ exporter, metricProducers: [own], ...timing });
    const provider = new MeterProvider({ resource, readers: [reader] });
    providers.push(provider);
    return observerOf(provider.getMeter(SCOPE), application);
  }

  return {
    of: (application) => {
      const observer = known.get(application) ?? start(application);
      known.set(application, observer);
      return observer;
    },
    stop: async () => {
      const exported = Promise.all(providers.map((provider) => provider.shutdown().catch(() => {})));
      await within(STOP_MS, exported);
    },
  };
}

function observerOf(meter: ReturnType<MeterProvider['getMeter']>, application: Observed): ExportedObserver {
  const duration = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: DURATIONS } });
  const requests = duration('http.server.request.duration', 'Duration of HTTP server requests.');
  const calls = duration('http.client.request.duration', 'Duration of HTTP client requests.');
  const processed = duration('messaging.process.duration', 'Duration of processing operation.');
  const sent = meter.createCounter('messaging.client.sent.messages', {
    description: 'Number of messages producer attempted to send to the broker.',
    unit: '{message}',
  });
  return {
    answered: ({ method, route, status, ms }) =>
      requests.record(ms / 1_000, {
        'http.request.method': METHODS.has(method) ? method : '_OTHER',
        'http.route': route,
        'url.scheme': 'http',
        ...outcome(status, status === 0 ? 'broken off' : undefined, 500),
      }),
    called: ({ api, status, failure, ms }) => {
      const { method, path, application: server } = CALLS[api] ?? {};
      calls.record(ms / 1_000, {
        'http.request.method': method,
        'url.template': path,
        'server.address': server,
        ...outcome(status, failure, 400),
      });
    },
    consumed: ({ type, done, ms }) =>
      processed.record(ms / 1_000, {
        ...messaging('process', TOPICS.get(type) ?? 'unknown'),
        'messaging.consumer.group.name': application,
        'error.type': done ? undefined : 'failed',
      }),
    published: (batch) => {
      for (const { topic } of batch) sent.add(1, messaging('send', topic));
    },
  };
}

const messaging = (operation: string, topic: string): Attributes => ({
  'messaging.system': 'kafka',
  'messaging.operation.name': operation,
  'messaging.destination.name': topic,
});

/** @param errorsFrom the lowest status that counts as an error */
function outcome(status: number, failure: string | undefined, errorsFrom: number): Attributes {
  return {
    'http.response.status_code': status === 0 ? undefined : status,
    'error.type': failure ?? (status >= errorsFrom ? String(status) : undefined),
  };
}

interface Reading {
  readonly application: Observed;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** A metric of the estate with its dotted name, such as `estate.due_work` in seconds. The conventions replace those that begin with `http`. */
function metricData({ name, help, type, values }: MetricValues, { application, ...times }: Reading): MetricData[] {
  const own = values.filter(({ labels }) => (labels['application'] ?? 'gateway') === application);
  if (own.length === 0 || !name.startsWith('estate_')) return [];
  const unit = name.endsWith('_seconds') ? 's' : '1';
  const descriptor = {
    name: name.replace(/^estate_/, 'estate.').replace(/_(total|seconds)$/, ''),
    description: help,
    unit,
    valueType: ValueType.DOUBLE,
  };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram') {
    const dataPoints = [...seriesOf(own).values()].map(({ labels, rows }) => ({ ...times, attributes: labels, value: histogram(rows) }));
    return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
  }
  const dataPoints = own.map(({ labels, value }) => ({ ...times, attributes: attributesIn(labels), value }));
  if (type === 'counter') return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
  return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints }];
}

type Row = MetricValues['values'][number];

function attributesIn({ application: _application, le: _bucket, ...labels }: Row['labels']): Attributes {
  return labels;
}

/** The rows of a histogram by series. */
function seriesOf(rows: readonly Row[]): Map<string, { readonly labels: Attributes; readonly rows: Row[] }> {
  const series = new Map<string, { readonly labels: Attributes; readonly rows: Row[] }>();
  for (const row of rows) {
    const labels = attributesIn(row.labels);
    const name = JSON.stringify(labels);
    const one = series.get(name) ?? { labels, rows: [] };
    one.rows.push(row);
    series.set(name, one);
  }
  return series;
}

/** Prometheus counts the values up to each boundary, OpenTelemetry those between two. */
function histogram(rows: readonly Row[]) {
  const totals = rows.filter(({ labels }) => labels['le'] !== undefined).map(({ value }) => value);
  const boundaries = rows.flatMap(({ labels: { le } }) => (typeof le === 'number' ? [le] : []));
  const counts = totals.map((total, place) => total - (totals[place - 1] ?? 0));
  const ending = (suffix: string): number => rows.find(({ metricName = '' }) => metricName.endsWith(suffix))?.value ?? 0;
  return { buckets: { boundaries, counts }, sum: ending('_sum'), count: ending('_count') };
}

const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
