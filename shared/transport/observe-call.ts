import type { ApiDefinition } from '../catalog/define.ts';
import { Problem, type ProblemCode } from '../catalog/problems.ts';
import type { Context } from '../control/context.ts';
import type { MadeCall, Observer, SpanStart } from '../observability/observer.ts';

interface ObservableCall {
  readonly api: ApiDefinition;
  readonly url: string;
  /** Of the caller. */
  readonly context: Context;
}

const FAILURES: Readonly<Partial<Record<ProblemCode, MadeCall['failure']>>> = {
  dependency_timeout: 'timeout',
  dependency_unavailable: 'unreachable',
};

/** Begins the span of a call that is sent now. @returns its traceparent, and what to call when the call has ended */
export function observeCall(observer: Observer, call: ObservableCall) {
  const started = performance.now();
  const span = observer.tracer?.start(clientSpan(call));

  const report = (status: number, failure?: MadeCall['failure']): void =>
    observer.called({ api: call.api.id, status, failure, ms: performance.now() - started });

  return {
    traceparent: span?.traceparent ?? call.context.traceparent,
    answered(status: number): void {
      report(status);
      span?.end(status >= 400 ? String(status) : undefined, { 'http.response.status_code': status });
    },
    failed(error: unknown): void {
      const failure = (error instanceof Problem && FAILURES[error.code]) || 'broken off';
      report(0, failure);
      span?.end(failure);
    },
  };
}

function clientSpan({ api: { id, method, path }, url, context: { traceparent, correlationId } }: ObservableCall): SpanStart {
  const { hostname, port } = new URL(url);
  return {
    kind: 'client',
    name: `${method} ${path}`,
    parent: traceparent,
    attributes: {
      'http.request.method': method,
      'url.full': url,
      'url.template': path,
      'server.address': hostname,
      'server.port': Number(port) || 80,
      'uc.api': id,
      'uc.correlation_id': correlationId,
    },
  };
}
