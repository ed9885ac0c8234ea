import { expect, test } from '@jest/globals';
import { createMetrics } from '../../shared/observability/observability.ts';
import { eventually } from '../support/eventually.ts';
import { anObservedEstate, placeAnOrder } from './observed-estate.ts';
import { type CollectedPoint, startCollector } from './trace-collector.ts';

/** The points that an estate with one order exports until it has stopped. */
async function exported(environment: Readonly<Record<string, string>> = {}): Promise<readonly CollectedPoint[]> {
  await using collector = await startCollector();
  {
    const metrics = { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    await using estate = await anObservedEstate({ ...metrics, ...environment });
    await placeAnOrder(estate.running.gateway);
    await fetch(`${estate.running.gateway}/nowhere`, { method: 'PROPFIND' });
    await estate.client.control('settle');
  }
  return collector.points;
}

const seriesOf = (points: readonly CollectedPoint[], service: string, name: string, some: Readonly<Record<string, unknown>> = {}) =>
  points.filter(
    (point) =>
      point.service === service && point.name === name && Object.entries(some).every(([key, value]) => point.attributes[key] === value),
  );

test('Metrics are exported under the names of the semantic conventions, per application', async () => {
  const points = await exported();
  const confirmation = {
    'uc.api': 'confirm-order-api',
    'http.request.method': 'POST',
    'http.route': '/orders/{id}/confirm',
    'url.scheme': 'http',
    'http.response.status_code': 200,
  };
  for (const service of ['gateway', 'oms']) {
    const [requests] = seriesOf(points, service, 'http.server.request.duration', { 'http.route': '/orders/{id}/confirm' });
    expect(requests).toMatchObject({ kind: 'histogram', unit: 's', value: 1, attributes: confirmation });
    expect(requests?.bucketCounts).toHaveLength(14);
  }
  const creation = { 'http.request.method': 'POST', 'url.template': '/orders', 'server.address': 'oms', 'http.response.status_code': 201 };
  expect(seriesOf(points, 'ecommerce-platform', 'http.client.request.duration', { 'url.template': '/orders' })).toMatchObject([
    { unit: 's', value: 1, attributes: creation },
  ]);
  const topic = { 'messaging.system': 'kafka', 'messaging.destination.name': 'uc.order.events' };
  const [sent] = seriesOf(points, 'oms', 'messaging.client.sent.messages', { ...topic, type: 'order-confirmed' });
  expect(sent).toMatchObject({ kind: 'sum', unit: '{message}', value: 1, attributes: { 'messaging.operation.name': 'send' } });
  const [processed] = seriesOf(points, 'fms', 'messaging.process.duration', topic);
  expect(processed).toMatchObject({ kind: 'histogram', unit: 's', attributes: { 'messaging.consumer.group.name': 'fms' } });
  const methods = points.flatMap(({ attributes }) => attributes['http.request.method'] ?? []);
  expect(new Set(methods)).toEqual(new Set(['GET', 'POST', 'PUT', '_OTHER']));
});

test('Every metric of the estate is exported with dots in its name, with the values of a scrape', async () => {
  const points = await exported();
  const names = new Set(points.map(({ name }) => name));
  const own = createMetrics()
    .described()
    .filter(({ name }) => name.startsWith('estate_'))
    .map(({ name }) => name.replace('estate_', 'estate.').replace(/_(total|seconds)$/, ''));
  // These exist only after an incident.
  const rare = ['commit_conflicts', 'events_parked', 'outbox_publish_failures', 'backlog_unread', 'idempotent_replays'];
  expect(own.filter((name) => !names.has(name) && !rare.includes(name.replace('estate.', '')))).toEqual([]);
  expect(seriesOf(points, 'gateway', 'estate.rehearsals')).toMatchObject([{ kind: 'gauge', value: 1 }]);
  const published = seriesOf(points, 'oms', 'messaging.client.sent.messages').reduce((sum, { value }) => sum + value, 0);
  const [lag] = seriesOf(points, 'oms', 'estate.outbox_relay_lag');
  expect(lag).toMatchObject({ kind: 'histogram', unit: 's', value: published });
  expect(lag?.bucketCounts?.reduce((sum, count) => sum + Number(count), 0)).toBe(published);
});

test('Metrics are exported at the configured interval', async () => {
  await using collector = await startCollector();
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRIC_EXPORT_INTERVAL: '1000' };
  await using _estate = await anObservedEstate({ ...environment, OTEL_METRICS_EXPORTER: 'otlp' });
  const ofGateway = () => collector.points.filter(({ name }) => name === 'estate.rehearsals').length;
  await eventually('two exports arrive', async () => ofGateway() > 1);
});

test('Metrics stay in the process without the variable, and a collector that is missing is named', async () => {
  await using collector = await startCollector();
  {
    await using estate = await anObservedEstate({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await placeAnOrder(estate.running.gateway);
  }
  expect([...collector.paths]).toEqual(['/v1/traces']);
  await expect(anObservedEstate({ OTEL_METRICS_EXPORTER: 'otlp' })).rejects.toThrow(
    'OTEL_METRICS_EXPORTER=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT too.',
  );
});
