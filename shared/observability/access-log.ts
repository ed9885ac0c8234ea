import type { Logger } from '../process/logger.ts';
import { type AnsweredRequest, traceIds } from './observer.ts';

/** One line per request. The route is the template of its path: query and ids of objects are not logged, the journal has them. */
export function logAnswered(log: Logger, { ids, api, method, route, status, ms }: AnsweredRequest): void {
  if (!log.isLevelEnabled('info')) return;
  const { requestId, correlationId, world, traceparent } = ids;
  log.info(
    { requestId, correlationId, world, ...traceIds(traceparent), api, method, route, status, ms: Math.round(ms * 100) / 100 },
    'answered',
  );
}
