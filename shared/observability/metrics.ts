import { collectDefaultMetrics, Registry } from 'prom-client';
import { within } from '../process/waiting.ts';
import type { OutboxBacklog, WorldsBacklog } from '../store/ports/backlog.ts';
import { type CountingObserver, createCountingObserver } from './counting-observer.ts';
import { createEstateMetrics, type Described } from './estate-metrics.ts';
import type { Observed } from './observer.ts';

/** Wall time for reading a backlog from the store. A slower one is left out of the scrape. */
const READ_MS = 1_000;
/** Milliseconds. Fifteen idle processes with a finer one would each wake up a hundred times a second. */
const EVENT_LOOP_PRECISION_MS = 50;

interface Gauges<Backlog> {
  readonly read: () => Promise<Backlog>;
  readonly show: (backlog: Backlog) => void;
  readonly clear: () => void;
}

/**
 * The metrics of one process, in a separate registry. Label values come from the catalog only, which bounds the number of series. Ids and
 * names of rehearsals belong in logs and traces.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  const described: Described[] = [];
  const metrics = createEstateMetrics(registry, (metric) => void described.push(metric));
  const refreshes: (() => Promise<void>)[] = [];
  let refreshing: Promise<unknown> | undefined;

  function refreshOnScrape<Backlog>(application: Observed, { read, show, clear }: Gauges<Backlog>): void {
    refreshes.push(async () => {
      try {
        const reading = read();
        if (!(await within(READ_MS, reading))) throw new Error('too slow');
        show(await reading);
      } catch {
        // A missing value is better than an old one.
        clear();
        metrics.backlogUnread.inc({ application });
      }
    });
  }

  return {
    observer: (application: Observed): CountingObserver => createCountingObserver(application, metrics),
    watchOutbox: (application: Observed, read: () => Promise<OutboxBacklog>): void => {
      refreshOnScrape(application, {
        read,
        show: ({ events, oldestAt }) => {
          metrics.outboxEvents.set({ application }, events);
          metrics.outboxAge.set({ application }, oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1_000);
        },
        clear: () => {
          metrics.outboxEvents.remove({ application });
          metrics.outboxAge.remove({ application });
        },
      });
    },
    watchWorlds: (read: () => Promise<WorldsBacklog>): void => {
      refreshOnScrape('gateway', {
        read,
        show: ({ rehearsals, pending, overdue, running, scheduled, withheld, parked }) => {
          metrics.rehearsals.set(rehearsals);
          metrics.deliveriesPending.set(pending);
          for (const [state, items] of Object.entries({ overdue, running, scheduled, withheld })) metrics.dueWork.set({ state }, items);
          metrics.parkedWork.set(parked);
        },
        clear: () => {
          for (const gauge of [metrics.rehearsals, metrics.deliveriesPending, metrics.parkedWork]) gauge.remove();
          for (const state of ['overdue', 'running', 'scheduled', 'withheld']) metrics.dueWork.remove({ state });
        },
      });
    },
    contentType: registry.contentType,
    /** All metrics in the Prometheus text format. Concurrent scrapes share one reading of the store. */
    async scrape(): Promise<string> {
      refreshing ??= Promise.all(refreshes.map((refresh) => refresh())).finally(() => {
        refreshing = undefined;
      });
      await refreshing;
      return registry.metrics();
    },
    /** The metrics of the estate itself, for a test that compares them with the documentation. */
    described: (): readonly Described[] => described,
  };
}
