import type { EstateMetrics } from './estate-metrics.ts';
import type { Observed, Observer } from './observer.ts';

/** An observer that counts and measures; it draws no traces. */
export type CountingObserver = Omit<Observer, 'tracer'>;

export function createCountingObserver(application: Observed, metrics: EstateMetrics): CountingObserver {
  const requests = cached((api, status) => metrics.requests.labels({ application, api, status }));
  const calls = cached((api, outcome) => metrics.calls.labels({ application, api, outcome }));
  const work = cached((kind, outcome) => metrics.work.labels({ application, kind, outcome }));
  const consumed = cached((type, outcome) => metrics.consumed.labels({ application, type, outcome }));
  const published = cached((type) => metrics.published.labels({ application, type }));
  const lag = metrics.lag.labels({ application });
  const batches = metrics.batches.labels({ application });
  return {
    answered: ({ api, status, ms }) => requests(api, classOf(status)).observe(ms / 1_000),
    called: ({ api, status, failure, ms }) => calls(api, failure ?? classOf(status)).observe(ms / 1_000),
    replayed: () => metrics.replays.inc({ application }),
    conflicted: (why) => metrics.conflicts.inc({ application, why }),
    worked: ({ kind, done, ms }) => work(kind, done ? 'done' : 'failed').observe(ms / 1_000),
    consumed: ({ type, done, ms }) => consumed(type, done ? 'done' : 'failed').observe(ms / 1_000),
    parked: (type) => metrics.parkedEvents.inc({ application, type }),
    published: (batch) => {
      const now = Date.now();
      batches.observe(batch.length);
      for (const { json, committedAt } of batch) {
        published(eventNameIn(json)).inc();
        if (committedAt !== undefined) lag.observe(Math.max(0, now - committedAt) / 1_000);
      }
    },
    publishingFailed: () => metrics.publishFailures.inc({ application }),
    refused: (code) => metrics.refusals.inc({ code }),
  };
}

/** `2xx`, `4xx`, …; an answer that was broken off has status 0. */
const classOf = (status: number): string => (status === 0 ? 'broken off' : `${Math.floor(status / 100)}xx`);

/** Keeps one child per series, found by two map lookups. The library sorts and joins the labels on every access. */
function cached<Child>(create: (first: string, second: string) => Child): (first: string, second?: string) => Child {
  const known = new Map<string, Map<string, Child>>();
  return (first, second = '') => {
    const seconds = known.get(first) ?? new Map<string, Child>();
    if (seconds.size === 0) known.set(first, seconds);
    const child = seconds.get(second) ?? create(first, second);
    seconds.set(second, child);
    return child;
  };
}

/** The name of an event in its envelope. Parsing the whole event would cost more than counting it. */
const eventNameIn = (json: string): string => /"type":"com\.unified-commerce\.([^"]+)"/.exec(json)?.[1] ?? 'unknown';
