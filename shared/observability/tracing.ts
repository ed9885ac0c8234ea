import { type Context, type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { within } from '../process/waiting.ts';
import type { Observed, Span, SpanStart, Tracer } from './observer.ts';
import { type Collector, exportTo, resourceOf } from './otlp.ts';

/** This module is loaded by a dynamic import, and only when a collector is configured, because its libraries are expensive to load. */

export interface Tracing {
  /** The tracer of one application, which is the `service.name` of its spans. */
  of(application: Observed): Tracer;
  /** Exports the remaining spans. A collector that does not answer delays a stop by at most two seconds. */
  stop(): Promise<void>;
}

/** Wall time between exports. */
const EXPORT_EVERY_MS = 2_000;
const STOP_MS = 2_000;

const KINDS: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/**
 * Starts to export traces. Nothing is registered globally, because several estates may run in one process. Each hop passes its own
 * traceparent to the next. The first span decides whether a trace is recorded.
 */
export async function startTracing(collector: Collector): Promise<Tracing> {
  const exporter = new OTLPTraceExporter(exportTo(collector, 'traces'));
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_EVERY_MS });
  const tracers = new Map<Observed, Tracer>();
  return {
    of: (application) => {
      const known = tracers.get(application);
      if (known) return known;
      const provider = new TracerProvider({ resource: resourceOf(application, collector), spanProcessors: [processor] });
      const made = tracerOf(provider.getTracer('unified-commerce-estate'));
      tracers.set(application, made);
      return made;
    },
    stop: async () => {
      const exported = processor.shutdown().catch(() => {});
      await within(STOP_MS, exported);
    },
  };
}

function tracerOf(tracer: ReturnType<TracerProvider['getTracer']>): Tracer {
  return {
    start: ({ kind, name, parent, attributes }) => {
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, parentContext(parent));
      return { traceparent: traceparentOf(span), end: (error, more) => end(span, error, more) };
    },
  };
}

function end(span: OtelSpan, error: string | undefined, attributes: Parameters<Span['end']>[1]): void {
  if (attributes) span.setAttributes({ ...attributes });
  if (error !== undefined) {
    span.setAttribute('error.type', error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function traceparentOf(span: OtelSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

function parentContext(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true });
}
