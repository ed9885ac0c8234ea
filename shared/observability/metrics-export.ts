import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { within } from '../process/waiting.ts';
import { ATTRIBUTES, CONVENTIONAL } from './conventions.ts';
import type { MetricValues, Observed } from './observer.ts';
import { type Collector, exportTo, resourceOf } from './otlp.ts';

/** This module is loaded by a dynamic import, and only when it is configured, because its libraries are expensive to load. */

export interface MetricsExport {
  /** Exports the metrics of an application, which is their `service.name`. */
  add(application: Observed): void;
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

/** Starts to export metrics. Nothing is registered globally, because several estates may run in one process. */
export function startMetricsExport({ everyMs, read, ...collector }: MetricsExportOptions): MetricsExport {
  const exporter = new OTLPMetricExporter(exportTo(collector, 'metrics'));
  const startTime = hrTimeOf(Date.now());
  const providers = new Map<Observed, MeterProvider>();

  function start(application: Observed): MeterProvider {
    const resource = resourceOf(application, collector);
    const own: MetricProducer = {
      collect: async () => {
        const endTime = hrTimeOf(Date.now());
        const metrics = (await read()).flatMap((one) => metricData(one, { application, startTime, endTime }));
        return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: SCOPE }, metrics }] }, errors: [] };
      },
    };
    const timing = { exportIntervalMillis: everyMs, exportTimeoutMillis: Math.min(everyMs, STOP_MS) };
    const reader = new PeriodicExportingMetricReader({ exporter, metricProducers: [own], ...timing });
    return new MeterProvider({ resource, readers: [reader] });
  }

  return {
    add: (application) => {
      if (!providers.has(application)) providers.set(application, start(application));
    },
    stop: async () => {
      const exported = Promise.all([...providers.values()].map((provider) => provider.shutdown().catch(() => {})));
      await within(STOP_MS, exported);
    },
  };
}

interface Reading {
  readonly application: Observed;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** A metric under its conventional name, or with a dotted name such as `estate.due_work` in seconds. */
function metricData({ name, help, type, values }: MetricValues, { application, ...times }: Reading): MetricData[] {
  const own = values.filter(({ labels }) => (labels['application'] ?? 'gateway') === application);
  const conventional = CONVENTIONAL[name];
  if (own.length === 0 || (conventional === undefined && !name.startsWith('estate_'))) return [];
  const dotted = {
    name: name.replace(/^estate_/, 'estate.').replace(/_(total|seconds)$/, ''),
    unit: name.endsWith('_seconds') ? 's' : '1',
  };
  const descriptor = { ...(conventional ?? dotted), description: help, valueType: ValueType.DOUBLE };
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

const attributesIn = ({ application: _application, le: _bucket, ...labels }: Row['labels']): Attributes =>
  Object.fromEntries(Object.entries(labels).map(([label, value]) => [ATTRIBUTES[label] ?? label, value]));

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
