import type { Logger } from '../process/logger.ts';
import { type AnsweredRequest, traceIds } from './observer.ts';

/** Logs one line per request. The route is a path template; the journal has the query and the ids of objects. */
export function logAnswered(log: Logger, { ids, api, method, route, status, ms }: AnsweredRequest): void {
  if (!log.isLevelEnabled('info')) return;
  const { requestId, correlationId, world, traceparent } = ids;
  log.info(
    { requestId, correlationId, world, ...traceIds(traceparent), api, method, route, status, ms: Math.round(ms * 100) / 100 },
    'answered',
  );
}
