import { rehearsalOf } from '../shared/domain/world.ts';
import type { Observer } from '../shared/observability/observer.ts';
import type { ProvedFacts } from './facts.ts';

/** Counts, logs and traces a request that was answered, or whose client has disconnected. */
export function observeRequest(observer: Observer, facts: ProvedFacts): void {
  const { request, response, started, api, view, ids, span, traceparent } = facts;
  const isStream = String(response.getHeader('content-type')).startsWith('text/event-stream');
  // An agent may get its single answer as a stream.
  const target = isStream && facts.target !== 'agents' ? 'stream' : labelOf(facts.target);
  // Probes are left out: they come every few seconds and would hide the requests of clients.
  if (target === 'health') return;
  const isBrokenOff = response.destroyed && !response.writableFinished && !isStream;
  const status = isBrokenOff ? 0 : response.statusCode;
  observer.answered({
    ids: { requestId: ids?.requestId ?? '', correlationId: ids?.correlationId ?? '', world: view?.world, traceparent },
    api: api?.id ?? target,
    method: request.method ?? '',
    route: api?.path ?? target,
    status,
    ms: performance.now() - started,
  });
  span?.end(status >= 500 || status === 0 ? String(status) : undefined, {
    'http.response.status_code': status,
    ...(ids && { 'uc.correlation_id': ids.correlationId, 'uc.request_id': ids.requestId }),
    ...(view && { 'uc.rehearsal': rehearsalOf(view.world) }),
  });
}

const labelOf = (target: ProvedFacts['target'] = 'preflight'): string => (target === 'preflight' ? 'none' : target);
