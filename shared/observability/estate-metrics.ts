import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Buckets in seconds. A hop within the estate takes one or two milliseconds, a request under a fault up to fifteen seconds. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const LAGS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300];
const BATCHES = [1, 2, 5, 10, 25, 50, 100];

export interface Described {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

export type EstateMetrics = ReturnType<typeof createEstateMetrics>;

/** Creates every metric of the estate in a registry, and describes each to the caller. */
export function createEstateMetrics(registry: Registry, describe: (metric: Described) => void) {
  const registers = [registry];
  const described = <Label extends string>(type: Described['type'], name: string, help: string, labels: readonly Label[]) => {
    describe({ name, type, help, labels });
    return { name, help, labelNames: labels, registers };
  };
  const counter = <Label extends string>(name: string, help: string, labels: readonly Label[]) =>
    new Counter<Label>(described('counter', name, help, labels));
  const gauge = <Label extends string>(name: string, help: string, labels: readonly Label[]) =>
    new Gauge<Label>(described('gauge', name, help, labels));
  const histogram = <Label extends string>(name: string, help: string, labels: readonly Label[], buckets: number[]) =>
    new Histogram<Label>({ ...described('histogram', name, help, labels), buckets });
  return {
    requests: histogram('http_server_requests_seconds', 'Requests answered.', ['application', 'api', 'status'], DURATIONS),
    calls: histogram('http_client_requests_seconds', 'Calls made to other applications.', ['application', 'api', 'outcome'], DURATIONS),
    replays: counter('estate_idempotent_replays_total', 'Requests answered with the stored response of their Idempotency-Key.', [
      'application',
    ]),
    conflicts: counter('estate_commit_conflicts_total', 'Commits refused because of concurrent ones.', ['application', 'why']),
    refusals: counter('estate_gateway_refusals_total', 'Refusals of the gateway and of the control plane.', ['code']),
    work: histogram('estate_due_work_seconds', 'Runs of due work.', ['application', 'kind', 'outcome'], DURATIONS),
    consumed: histogram('estate_events_consumed_seconds', 'Attempts to consume an event.', ['application', 'type', 'outcome'], DURATIONS),
    parkedEvents: counter('estate_events_parked_total', 'Deliveries parked until they are redriven.', ['application', 'type']),
    published: counter('estate_events_published_total', 'Events that the bus accepted.', ['application', 'type']),
    lag: histogram(
      'estate_outbox_relay_lag_seconds',
      'Time from the commit of an event to its acknowledgement by the bus.',
      ['application'],
      LAGS,
    ),
    batches: histogram('estate_outbox_batch_events', 'Events per batch sent.', ['application'], BATCHES),
    publishFailures: counter('estate_outbox_publish_failures_total', 'Batches that the bus did not accept; they are sent again.', [
      'application',
    ]),
    outboxEvents: gauge('estate_outbox_events', 'Committed events that are not on the bus yet.', ['application']),
    outboxAge: gauge('estate_outbox_oldest_age_seconds', 'Age of the oldest unsent event; 0 without any.', ['application']),
    rehearsals: gauge('estate_rehearsals', 'Rehearsals that exist.', []),
    deliveriesPending: gauge('estate_deliveries_pending', 'Events owed to a subscriber.', []),
    dueWork: gauge('estate_due_work_items', 'Due work by state.', ['state']),
    parkedWork: gauge('estate_parked_work_items', 'Deliveries and due work parked until they are redriven.', []),
    backlogUnread: counter('estate_backlog_unread_total', 'Scrapes without data from the store.', ['application']),
  };
}
