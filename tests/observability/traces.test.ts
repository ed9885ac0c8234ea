import { expect, test } from '@jest/globals';
import { LOADED, loading, startEstate } from '../processes/started.ts';
import { textOf } from '../support/tracked-files.ts';
import { anObservedEstate, type ObservedEstate, placeAnOrder } from './observed-estate.ts';
import { type CollectedSpan, startCollector } from './trace-collector.ts';

const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const ROOT = '00f067aa0ba902b7';
const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5];

const PARENT = { traceparent: `00-${TRACE}-${ROOT}-01` };

/** The services from a span up to the root. */
function pathOf(span: CollectedSpan | undefined, spans: readonly CollectedSpan[]): readonly string[] {
  const parent = spans.find(({ spanId }) => spanId === span?.parentSpanId);
  return span ? [span.service, ...pathOf(parent, spans)] : [];
}

/** Spans and export paths that an estate sends to its collector until it has stopped. */
async function collected(act: (estate: ObservedEstate) => Promise<unknown>) {
  await using collector = await startCollector();
  {
    await using estate = await anObservedEstate({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await act(estate);
  }
  const ours = collector.spans.filter(({ traceId }) => traceId === TRACE);
  return { spans: collector.spans, ours, paths: [...collector.paths], services: [...collector.services.values()] };
}

test('An order is one tree of spans, from its client over the gateway and every application to the events and their consumers', async () => {
  const { ours, paths, services } = await collected(async ({ client, running }) => {
    await placeAnOrder(running.gateway, { ...PARENT, 'x-correlation-id': 'the-order' });
    await client.control('settle');
  });
  expect(paths).toEqual(['/v1/traces']);
  const sdk = { 'telemetry.sdk.name': 'opentelemetry', 'telemetry.sdk.language': 'nodejs', 'telemetry.sdk.version': expect.any(String) };
  const resource = { ...sdk, 'service.namespace': 'unified-commerce', 'service.version': version };
  for (const one of services) expect(one).toEqual({ ...resource, 'service.name': one['service.name'] });
  const expected = ['gateway', 'ecommerce-platform', 'oms', 'payment-hub', 'sim', 'inventory-service'];
  expect(ours.map(({ service }) => service)).toEqual(expect.arrayContaining(expected));
  // Each span has its parent in the same tree, except the spans that the client itself began.
  const ids = new Set(ours.map(({ spanId }) => spanId));
  const roots = ours.filter(({ parentSpanId }) => parentSpanId === ROOT);
  expect(ours.filter(({ parentSpanId = '' }) => parentSpanId !== ROOT && !ids.has(parentSpanId))).toEqual([]);
  expect(roots.map(({ service, name }) => [service, name])).toEqual([
    ['gateway', 'POST /baskets'],
    ['gateway', 'POST /baskets/{id}/checkout'],
    ['gateway', 'POST /payments/authorizations'],
    ['gateway', 'POST /orders/{id}/confirm'],
  ]);
  // Each call is a span of the caller and a span of the application that answers.
  const reserving = ours.find(({ service, kind, name }) => service === 'sim' && kind === SERVER && name.includes('/inventory/reserv'));
  expect(pathOf(reserving, ours).slice(0, 3)).toEqual(['sim', 'ecommerce-platform', 'ecommerce-platform']);
  const kindOf = (id: string | undefined) => ours.find(({ spanId }) => spanId === id)?.kind;
  const answers = ours.filter(({ kind, service }) => kind === SERVER && service !== 'gateway');
  expect(answers.filter(({ parentSpanId }) => kindOf(parentSpanId) !== CLIENT)).toEqual([]);
  const confirmed = (kind: number | undefined) =>
    ours.filter((span) => span.kind === kind && span.attributes['cloudevents.event_type'] === 'com.unified-commerce.order-confirmed');
  expect(confirmed(PRODUCER)).toMatchObject([
    { service: 'oms', name: 'send uc.order.events', attributes: { 'messaging.system': 'kafka' } },
  ]);
  expect(confirmed(CONSUMER).map(({ service }) => service)).toEqual(expect.arrayContaining(['fms', 'crm']));
  expect(confirmed(CONSUMER)[0]).toMatchObject({ name: 'process uc.order.events' });
  expect(roots[0]?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/baskets',
    'http.response.status_code': 201,
    'uc.correlation_id': 'the-order',
    'uc.rehearsal': 'default',
  });
});

test('Events carry the traceparent of their cause, and due work continues the trace of the request that scheduled it', async () => {
  const { ours } = await collected(async ({ client, running }) => {
    await client.control('set-progression', { body: { warehouse: 'manual' } });
    await placeAnOrder(running.gateway, PARENT);
    await client.control('advance-clock', { body: { by: 'PT48H' } });
    const { items } = await client.control('list-events', { query: { type: 'order-confirmed' } });
    expect(items[0]?.event['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  });
  const ids = new Set(ours.map(({ spanId }) => spanId));
  const due = ours.filter(({ name }) => name.startsWith('due '));
  // One item of due work ran before the reply, the other when the clock reached its instant.
  expect(due.map(({ service, name }) => `${service}: ${name}`).sort()).toEqual(['fms: due allocate', 'payment-hub: due check-orphan']);
  expect(due.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId))).toEqual([]);
});

test('An unsampled traceparent is not traced, and an invalid one starts a new trace', async () => {
  const { ours, spans } = await collected(async ({ running }) => {
    for (const traceparent of [`00-${TRACE}-${ROOT}-00`, '00-nonsense'])
      await fetch(`${running.gateway}/products/mug-blue`, { headers: { traceparent } });
  });
  expect(ours).toEqual([]);
  const begun = spans.filter(({ service, parentSpanId }) => service === 'gateway' && parentSpanId === undefined);
  expect(begun).toMatchObject([{ name: 'GET /products/{id}' }]);
});

test('An unreachable collector does not delay an order, and delays a stop by two seconds', async () => {
  const estate = await anObservedEstate({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  await placeAnOrder(estate.running.gateway);
  const started = performance.now();
  await estate[Symbol.asyncDispose]();
  expect(performance.now() - started).toBeLessThan(8_000);
});

test.each<[string, Record<string, string>, boolean]>([
  ['not loaded without a collector', {}, false],
  ['loaded with a collector', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
])('The tracing library is %s', async (_what, environment, isLoaded) => {
  await using estate = startEstate({
    ...environment,
    NODE_OPTIONS: loading('opentelemetry.(sdk-trace|exporter|resources)|observability.tracing'),
  });
  await estate.ready();
  await estate.stop();
  expect(estate.output.err.includes(LOADED)).toBe(isLoaded);
});
