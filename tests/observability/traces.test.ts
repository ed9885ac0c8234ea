import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { anObservedEstate, placeAnOrder } from './observed-estate.ts';
import { type CollectedSpan, startCollector } from './trace-collector.ts';

const MAIN = fileURLToPath(new URL('../../estate/main.ts', import.meta.url));
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const ROOT = '00f067aa0ba902b7';
const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5];

/** The services and kinds of spans from one up to the root. */
function pathOf(span: CollectedSpan | undefined, spans: readonly CollectedSpan[]): readonly string[] {
  if (!span) return [];
  return [
    span.service,
    ...pathOf(
      spans.find(({ spanId }) => spanId === span.parentSpanId),
      spans,
    ),
  ];
}

describe('Traces', () => {
  test('one order is one tree of spans: from its client over the gateway and every application to the events and their consumers', async () => {
    await using collector = await startCollector();
    {
      await using estate = await anObservedEstate({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      await placeAnOrder(estate.running.gateway, { traceparent: `00-${TRACE}-${ROOT}-01`, 'x-correlation-id': 'the-order' });
      await estate.client.control('settle');
    }
    const ours = collector.spans.filter(({ traceId }) => traceId === TRACE);
    expect([...collector.paths]).toEqual(['/v1/traces']);
    const services = new Set(ours.map(({ service }) => service));
    for (const expected of ['gateway', 'ecommerce-platform', 'oms', 'payment-hub', 'sim', 'inventory-service'])
      expect(services).toContain(expected);
    // No span hangs in the air: each has its parent in the same tree, but for those that the client itself began.
    const ids = new Set(ours.map(({ spanId }) => spanId));
    const roots = ours.filter(({ parentSpanId }) => parentSpanId === ROOT);
    expect(ours.filter(({ parentSpanId = '' }) => parentSpanId !== ROOT && !ids.has(parentSpanId))).toEqual([]);
    expect(roots.map(({ service, name }) => [service, name])).toEqual([
      ['gateway', 'POST /baskets'],
      ['gateway', 'POST /baskets/{id}/checkout'],
      ['gateway', 'POST /payments/authorizations'],
      ['gateway', 'POST /orders/{id}/confirm'],
    ]);
    // Each call is a span of who calls and a span of who answers.
    const reserving = ours.find(({ service, kind, name }) => service === 'sim' && kind === SERVER && name.includes('/inventory/reserv'));
    expect(pathOf(reserving, ours).slice(0, 3)).toEqual(['sim', 'ecommerce-platform', 'ecommerce-platform']);
    const answers = ours.filter(({ kind }) => kind === SERVER);
    expect(
      answers.filter(
        ({ service, parentSpanId }) => service !== 'gateway' && ours.find(({ spanId }) => spanId === parentSpanId)?.kind !== CLIENT,
      ),
    ).toEqual([]);
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

  test('events carry the traceparent of their cause, and due work continues the trace of the request that scheduled it', async () => {
    await using collector = await startCollector();
    {
      await using estate = await anObservedEstate({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      await estate.client.control('set-progression', { body: { warehouse: 'manual' } });
      await placeAnOrder(estate.running.gateway, { traceparent: `00-${TRACE}-${ROOT}-01` });
      await estate.client.control('advance-clock', { body: { by: 'PT48H' } });
      const { items } = await estate.client.control('list-events', { query: { type: 'order-confirmed' } });
      expect(items[0]?.event['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    }
    const ours = collector.spans.filter(({ traceId }) => traceId === TRACE);
    const ids = new Set(ours.map(({ spanId }) => spanId));
    const due = ours.filter(({ name }) => name.startsWith('due '));
    // One ran before its reply, the other when the clock brought it.
    expect(due.map(({ service, name }) => `${service}: ${name}`).sort()).toEqual(['fms: due allocate', 'payment-hub: due check-orphan']);
    expect(due.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId))).toEqual([]);
  });

  test('an unsampled traceparent is not traced, and an invalid one starts a new trace', async () => {
    await using collector = await startCollector();
    {
      await using estate = await anObservedEstate({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      const get = (traceparent: string) => fetch(`${estate.running.gateway}/products/mug-blue`, { headers: { traceparent } });
      await get(`00-${TRACE}-${ROOT}-00`);
      await get('00-nonsense');
    }
    expect(collector.spans.filter(({ traceId }) => traceId === TRACE)).toEqual([]);
    const begun = collector.spans.filter(({ service, parentSpanId }) => service === 'gateway' && parentSpanId === undefined);
    expect(begun).toMatchObject([{ name: 'GET /products/{id}' }]);
  });

  test('an unreachable collector does not delay an order, and delays a stop by two seconds', async () => {
    const estate = await anObservedEstate({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    await placeAnOrder(estate.running.gateway);
    const started = performance.now();
    await estate[Symbol.asyncDispose]();
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  test.each([
    ['nothing of the library is loaded without a collector', {}, false],
    ['it is loaded with one', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
  ])('%s', async (_what, environment: Readonly<Record<string, string>>, isLoaded) => {
    const watch = `import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) { if (/opentelemetry.(sdk-trace|exporter|resources)|observability.tracing/.test(url)) console.error('LOADED ' + url); return next(url, context); } });`;
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(watch)}`, MAIN], {
      env: { PATH, GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      said.out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said.err += chunk.toString();
    });
    await eventually('the banner', async () => said.out.includes('Stop with Ctrl-C'), 60_000);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(said.err.includes('LOADED')).toBe(isLoaded);
  });
});
