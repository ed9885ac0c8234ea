import type { Application } from '../catalog/applications.ts';
import type { OutboxEntry } from '../store/ports/outbox.ts';

/** An application of the estate, or its gateway. */
export type Observed = Application | 'gateway';

/** Ids that connect a log line with its request. */
export interface Ids {
  readonly requestId: string;
  readonly correlationId: string;
  readonly world?: string;
  readonly traceparent?: string;
}

export interface AnsweredRequest {
  readonly ids: Ids;
  /** Id of the API, or one of a few names for other requests. */
  readonly api: string;
  readonly method: string;
  /** Path template, without ids of objects. */
  readonly route: string;
  /** 0 when the connection was closed without a response. */
  readonly status: number;
  readonly ms: number;
}

export interface MadeCall {
  readonly api: string;
  /** 0 without a response. */
  readonly status: number;
  /** Why there is no response. */
  readonly failure?: 'timeout' | 'unreachable' | 'broken off';
  readonly ms: number;
}

export interface RunWork {
  readonly kind: string;
  readonly done: boolean;
  readonly ms: number;
}

export interface ConsumedEvent {
  /** Name without prefix. */
  readonly type: string;
  readonly done: boolean;
  readonly ms: number;
}

/** Data of a span at its start, with names of OpenTelemetry's semantic conventions. */
export interface SpanStart {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly name: string;
  /** W3C traceparent of the cause. Without it the span starts a trace. */
  readonly parent: string | undefined;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface Span {
  /** W3C traceparent for operations within the span. */
  readonly traceparent: string;
  /** @param error the failure, if any: a status or the name of an error */
  end(error?: string, attributes?: Readonly<Record<string, string | number>>): void;
}

export interface Tracer {
  start(span: SpanStart): Span;
}

/** Turns the activity of an application or the gateway into metrics, access log and traces. Its methods neither block nor throw. */
export interface Observer {
  /** Absent without a collector of traces. Callers compute span attributes only after `tracer?.`. */
  readonly tracer?: Tracer;
  answered(request: AnsweredRequest): void;
  called(call: MadeCall): void;
  /** A request with a known Idempotency-Key was answered with the stored response. */
  replayed(): void;
  /** The store refused a commit because of a concurrent one. The handler is rerun, or the request is refused. */
  conflicted(why: string): void;
  worked(work: RunWork): void;
  consumed(event: ConsumedEvent): void;
  /** A delivery was parked until it is redriven. @param type name without prefix */
  parked(type: string): void;
  /** The bus accepted a batch. */
  published(batch: readonly OutboxEntry[]): void;
  publishingFailed(): void;
  /** The gateway refused a request without calling an application. */
  refused(code: string): void;
}

/** A metric with its series, as the library of metrics reads it. The name of a row in a histogram ends with `_sum`, `_count` or `_bucket`. */
export interface MetricValues {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
}

const nothing = (): void => {};

/** An observer that ignores everything. */
export const UNOBSERVED: Observer = {
  answered: nothing,
  called: nothing,
  replayed: nothing,
  conflicted: nothing,
  worked: nothing,
  consumed: nothing,
  parked: nothing,
  published: nothing,
  publishingFailed: nothing,
  refused: nothing,
};

/** The members of a log record that identify the trace, if there is one. */
export function traceIds(traceparent: string | undefined): { trace_id?: string; span_id?: string } {
  const [, trace_id, span_id] = traceparent?.split('-') ?? [];
  return trace_id === undefined || span_id === undefined ? {} : { trace_id, span_id };
}
