import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { dashboard } from '../../helm/dashboard.ts';
import type { EstateClient } from '../../rehearsal/estate-client.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { applicationNames, topicOf } from '../../shared/catalog/applications.ts';
import type { FaultInput } from '../../shared/catalog/control/faults.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { problems } from '../../shared/catalog/problems.ts';
import { createMetrics } from '../../shared/observability/observability.ts';
import { anObservedEstate, placeAnOrder } from './observed-estate.ts';

interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function read(text: string): readonly Series[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', is = '']) => [label, is]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

async function scrape(url: string, authorization = 'Bearer demo-control-token'): Promise<readonly Series[]> {
  const response = await fetch(`${url}/metrics`, { headers: authorization === '' ? {} : { authorization } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return read(await response.text());
}

const sumOf = (series: readonly Series[], name: string, labels: Readonly<Record<string, string>> = {}): number =>
  series
    .filter((one) => one.name === name && Object.entries(labels).every(([label, is]) => one.labels[label] === is))
    .reduce((sum, { value }) => sum + value, 0);

const setFault = (client: EstateClient, name: string, rule: FaultInput) => client.control('put-fault', { params: { name }, body: rule });

test('Metrics require the scope control at the gateway, and no credential at an application', async () => {
  await using estate = await anObservedEstate();
  const { gateway, applications } = estate.running;
  const status = async (authorization: string, method = 'GET') => {
    const { status: answered, headers } = await fetch(`${gateway}/metrics`, {
      method,
      headers: authorization === '' ? {} : { authorization },
    });
    return [answered, headers.get('content-type')];
  };
  const problem = 'application/problem+json; charset=utf-8';
  expect(await status('')).toEqual([401, problem]);
  expect(await status('Bearer demo-integration-token')).toEqual([403, problem]);
  expect(await status('Bearer demo-control-token', 'POST')).toEqual([405, problem]);
  expect(await scrape(applications['oms'] ?? '', '')).not.toEqual([]);
  expect(sumOf(await scrape(gateway), 'estate_gateway_refusals_total', { code: 'unauthenticated' })).toBe(1);
});

test('Metrics count all steps of an order: requests, calls, events, due work', async () => {
  await using estate = await anObservedEstate();
  await placeAnOrder(estate.running.gateway);
  await estate.client.control('settle');
  const series = await scrape(estate.running.gateway);
  const count = (name: string, labels: Readonly<Record<string, string>> = {}) => sumOf(series, name, labels);
  const confirmation = {
    ...{ api: 'confirm-order-api', http_request_method: 'POST', http_route: '/orders/{id}/confirm', url_scheme: 'http' },
    http_response_status_code: '200',
  };
  expect(count('http_server_request_duration_seconds_count', { application: 'gateway', ...confirmation })).toBe(1);
  expect(count('http_server_request_duration_seconds_count', { application: 'oms', ...confirmation })).toBe(1);
  const creation = {
    ...{ application: 'ecommerce-platform', api: 'create-order-api', http_request_method: 'POST', url_template: '/orders' },
    ...{ server_address: 'oms', http_response_status_code: '201' },
  };
  expect(count('http_client_request_duration_seconds_count', creation)).toBe(1);
  const classed = { api: 'confirm-order-api', status: '2xx' };
  expect(count('http_server_requests_seconds_count', { application: 'oms', ...classed })).toBe(1);
  expect(count('http_client_requests_seconds_count', { application: 'ecommerce-platform', api: 'create-order-api', outcome: '2xx' })).toBe(
    1,
  );
  expect(count('estate_events_published_total', { application: 'oms', type: 'order-confirmed' })).toBe(1);
  expect(count('estate_events_consumed_seconds_count', { application: 'fms', type: 'order-confirmed', outcome: 'done' })).toBe(1);
  const topic = { type: 'order-confirmed', messaging_system: 'kafka', messaging_destination_name: 'uc.order.events' };
  const sent = { application: 'oms', messaging_operation_name: 'send', ...topic };
  expect(count('messaging_client_sent_messages_total', sent)).toBe(1);
  const processed = { messaging_consumer_group_name: 'fms', messaging_operation_name: 'process', ...topic };
  expect(count('messaging_process_duration_seconds_count', { application: 'fms', ...processed })).toBe(1);
  const published = count('messaging_client_sent_messages_total', { application: 'oms' });
  expect(count('estate_outbox_relay_lag_seconds_count', { application: 'oms' })).toBe(published);
  expect(count('estate_due_work_seconds_count', { application: 'fms', kind: 'allocate', outcome: 'done' })).toBe(1);
  expect(count('estate_due_work_items', { state: 'scheduled' })).toBeGreaterThan(0);
  expect(count('estate_rehearsals')).toBe(1);
  expect(count('process_resident_memory_bytes')).toBeGreaterThan(0);
});

test('Metrics count repeats, refusals and unreachable calls', async () => {
  await using estate = await anObservedEstate({ RATE_LIMIT_PER_KEY: '60' });
  const { client } = estate;
  const basket = { body: { channel: 'web' as const, lines: [{ sku: 'mug-blue', qty: 1 }] }, headers: { 'idempotency-key': 'once' } };
  for (const _ of [1, 2]) expect((await client.call('create-basket-api', basket)).status).toBe(201);
  await setFault(client, 'away', { match: { api: 'get-customer-api' }, fault: { kind: 'outage' } });
  await placeAnOrder(estate.running.gateway).catch(() => undefined);
  const replies = await Promise.all(Array.from({ length: 80 }, () => client.call('get-customer-api', { params: { id: 'cus_ada' } })));
  const limited = replies.filter(({ status }) => status === 429).length;
  expect(limited).toBeGreaterThan(0);
  const series = await scrape(estate.running.gateway);
  expect(sumOf(series, 'estate_idempotent_replays_total', { application: 'ecommerce-platform' })).toBe(1);
  expect(sumOf(series, 'estate_gateway_refusals_total', { code: 'rate_limited' })).toBe(limited);
  const failed = { api: 'get-customer-api', http_response_status_code: '503', error_type: '503' };
  expect(sumOf(series, 'http_client_request_duration_seconds_count', failed)).toBeGreaterThan(0);
  expect(sumOf(series, 'http_server_request_duration_seconds_count', { application: 'crm', ...failed })).toBeGreaterThan(0);
});

test('Each query of the dashboard finds series of a working estate, with the labels that it groups by', async () => {
  await using estate = await anObservedEstate();
  const { client, running } = estate;
  await placeAnOrder(running.gateway);
  await client.control('settle');
  await setFault(client, 'away', { match: { api: 'get-customer-api' }, fault: { kind: 'outage' } });
  expect((await client.call('get-customer-api', { params: { id: 'cus_ada' } })).status).toBe(503);
  expect((await fetch(`${running.gateway}/metrics`)).status).toBe(401);
  const series = await scrape(running.gateway);
  const { panels } = JSON.parse(dashboard()) as { panels: { title: string; targets: { expr: string; legendFormat: string }[] }[] };
  expect(panels.length).toBeGreaterThan(0);
  for (const { title, targets } of panels) {
    for (const { expr, legendFormat } of targets) {
      const [, name = '', selector = ''] = /\b((?:estate|http)_\w+)(?:\{([^}]*)\})?/.exec(expr) ?? [];
      const selected = [...selector.matchAll(/(\w+)(=~?)"([^"]*)"/g)].map(
        ([, label = '', , value = '']) => [label, new RegExp(`^(?:${value})$`)] as const,
      );
      const found = series.filter((one) => one.name === name && selected.every(([label, value]) => value.test(one.labels[label] ?? '')));
      expect([title, found.length > 0]).toEqual([title, true]);
      const grouped = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      expect(grouped).toEqual(expect.arrayContaining(shown));
      for (const label of grouped) expect([title, Object.keys(found[0]?.labels ?? {})]).toEqual([title, expect.arrayContaining([label])]);
    }
  }
});

test('The labels of metrics are names of the catalog, regardless of rehearsals, objects and mistakes', async () => {
  await using estate = await anObservedEstate();
  const { gateway } = estate.running;
  for (const name of ['one', 'two', 'three']) await estate.client.control('create-rehearsal', { body: { name } });
  await placeAnOrder(gateway);
  for (const path of ['/nowhere', '/orders/ord_none', '/%2e%2e/x', '/_control/nothing', '/mcp', '/openapi.json'])
    await fetch(`${gateway}${path}`);
  await fetch(`${gateway}/orders`, { method: 'PROPFIND' });
  const series = (await scrape(gateway)).filter(({ name }) => /^(http|messaging|estate)_/.test(name));
  const known = new Set([
    ...[...applicationNames, 'gateway', ...Object.keys(apis), ...Object.keys(internalCalls), ...Object.keys(problems)],
    ...allEvents.map(({ name }) => name),
    ...Object.values({ ...apis, ...internalCalls }).map(({ path }) => path),
    ...objects.map(({ domain }) => topicOf(domain)),
    ...['control plane', 'agents', 'metrics', 'documents', 'none', 'due-work', 'done', 'failed', '2xx', '3xx', '4xx', '5xx', 'broken off'],
    ...['GET', 'POST', 'PUT', '_OTHER', 'http', 'kafka', 'send', 'process'],
    ...['timeout', 'unreachable', 'version', 'unique', 'guard', 'held', 'world', 'overdue', 'running', 'scheduled', 'withheld'],
  ]);
  const values = series.flatMap(({ labels: { le: _le, kind: _kind, ...labels } }) => Object.values(labels));
  expect([...new Set(values)].filter((value) => !known.has(value) && !/^[2-5]\d\d$/.test(value))).toEqual([]);
  for (const kind of new Set(series.flatMap(({ labels: { kind } }) => kind ?? []))) expect(kind).toMatch(/^[a-z]+(-[a-z]+)*$/);
});

test('The store is queried only at a scrape, and once for concurrent scrapes', async () => {
  const metrics = createMetrics();
  let looks = 0;
  metrics.watchOutbox('oms', async () => {
    looks += 1;
    return { events: 3, oldestAt: Date.now() - 5_000 };
  });
  expect(looks).toBe(0);
  const [series] = await Promise.all([metrics.scrape().then(read), metrics.scrape()]);
  expect(looks).toBe(1);
  expect(sumOf(series, 'estate_outbox_events', { application: 'oms' })).toBe(3);
  expect(sumOf(series, 'estate_outbox_oldest_age_seconds', { application: 'oms' })).toBeCloseTo(5, 0);
});

test('A metric whose count fails or times out is omitted, the failure is counted, and other metrics are reported', async () => {
  const metrics = createMetrics();
  let away = false;
  metrics.watchOutbox('oms', async () => {
    if (away) throw new Error('away');
    return { events: 7 };
  });
  expect(sumOf(read(await metrics.scrape()), 'estate_outbox_events', { application: 'oms' })).toBe(7);
  away = true;
  metrics.watchOutbox('crm', () => new Promise(() => {}));
  metrics.watchOutbox('fms', async () => ({ events: 1 }));
  const series = read(await metrics.scrape());
  const count = (name: string) => series.filter((one) => one.name === name).map(({ labels, value }) => [labels['application'], value]);
  expect(count('estate_backlog_unread_total').toSorted()).toEqual([
    ['crm', 1],
    ['oms', 1],
  ]);
  expect(count('estate_outbox_events')).toEqual([['fms', 1]]);
});

test('docs/how-to/observe.md lists exactly the existing metrics, with their kind, labels and meaning', () => {
  const document = readFileSync(new URL('../../docs/how-to/observe.md', import.meta.url), 'utf8');
  const rows = [...document.matchAll(/^\| `((?:http|messaging|estate)_\w+)` \| (\w+) \| (.*?) \| (.*) \|$/gm)];
  const labelsOf = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, label]) => label);
  const listed = rows.map(([, name, type, labels, help]) => ({ name, type, help, labels: labelsOf(labels) }));
  expect(listed).toEqual(createMetrics().described());
});
