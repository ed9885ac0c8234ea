import type { Application } from '../catalog/applications.ts';
import type { OutboxEntry } from '../store/ports/outbox.ts';

/** An application of the estate, or the gateway in front of them. */
export type Observed = Application | 'gateway';

/** Ids by which a line of the log and the rest of a request are found. */
export interface Ids {
  readonly requestId: string;
  readonly correlationId: string;
  readonly world?: string | undefined;
  readonly traceparent?: string | undefined;
}

export interface AnsweredRequest {
  readonly ids: Ids;
  /** Id of the API, or what stands for all that is none: there are few of them. */
  readonly api: string;
  readonly method: string;
  /** Path template: no ids of objects. */
  readonly route: string;
  /** 0 when the connection was broken off without an answer. */
  readonly status: number;
  readonly ms: number;
}

export interface MadeCall {
  readonly api: string;
  /** 0 when no answer came. */
  readonly status: number;
  /** Why none came. */
  readonly failure?: 'timeout' | 'unreachable' | 'broken off' | undefined;
  readonly ms: number;
}

export interface DoneWork {
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

/** What a span is about before it begins; its names are those of OpenTelemetry's semantic conventions. */
export interface SpanStart {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly name: string;
  /** W3C traceparent of what caused it; without one it begins a trace. */
  readonly parent: string | undefined;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface Span {
  /** To be handed on to whatever happens within. */
  readonly traceparent: string;
  /** @param error says that it failed, and how: a status, the name of an error */
  end(error?: string, attributes?: Readonly<Record<string, string | number>>): void;
}

export interface Tracer {
  start(span: SpanStart): Span;
}

/**
 * What one application, or the gateway, tells about itself as it works. Whoever listens counts, writes the access log and draws traces;
 * the places that call this know nothing of how. Nothing here waits, and nothing here fails.
 */
export interface Observer {
  /** Absent while nobody collects traces: what belongs to a span is made only behind `tracer?.`. */
  readonly tracer?: Tracer | undefined;
  answered(request: AnsweredRequest): void;
  called(call: MadeCall): void;
  /** A request with a known Idempotency-Key was answered with the answer that it got before. */
  replayed(): void;
  /** A commit was refused because others were faster; the handler runs again, or gives up. */
  conflicted(why: string): void;
  worked(work: DoneWork): void;
  consumed(event: ConsumedEvent): void;
  /** A delivery was given up until somebody drives it again. @param type name without prefix */
  parked(type: string): void;
  /** A batch came on the bus. */
  published(batch: readonly OutboxEntry[]): void;
  publishingFailed(): void;
  /** The gateway refused a request itself. */
  refused(code: string): void;
}

const nothing = (): void => {};

/** Nobody listens. */
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

/** @returns the members of a log record that name the trace, if there is one */
export function traceIds(traceparent: string | undefined): { trace_id?: string; span_id?: string } {
  const [, trace_id, span_id] = traceparent?.split('-') ?? [];
  return trace_id === undefined || span_id === undefined ? {} : { trace_id, span_id };
}
