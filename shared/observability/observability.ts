import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../process/logger.ts';
import type { WorldsBacklog } from '../store/ports/ledger.ts';
import type { OutboxBacklog } from '../store/ports/outbox.ts';
import { createMetrics } from './metrics.ts';
import { type AnsweredRequest, type Observed, type Observer, traceIds } from './observer.ts';
import type { Tracing } from './tracing.ts';

/** Telemetry of one process: metrics, an access log at level `info`, and traces when a collector is configured. */
export interface Observability {
  /** @param log receives the access log of the application */
  observer(application: Observed, log: Logger): Observer;
  watchOutbox(application: Observed, read: () => Promise<OutboxBacklog>): void;
  watchWorlds(read: () => Promise<WorldsBacklog>): void;
  /** Answers with the metrics of the whole process in the Prometheus text format. */
  answerMetrics(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Exports the remaining spans. */
  stop(): Promise<void>;
}

export function createObservability({ tracing }: { readonly tracing?: Tracing } = {}): Observability {
  const metrics = createMetrics();
  return {
    observer: (application, log) => {
      const counting = metrics.observer(application);
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
      await tracing?.stop();
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
