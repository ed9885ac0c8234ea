import { expect, test } from '@jest/globals';
import { explain, type Part } from '../../../ui/activity/explanation.ts';
import type { ListedHop } from '../../../ui/data/hop.ts';
import { traceTree } from '../../../ui/sequence/trace-tree.ts';
import { aHop, confirmedOrder } from './a-hop.ts';

const words = (part: Part): string => (typeof part === 'string' ? part : 'strong' in part ? part.strong : `⚡${part.fault}`);
const explained = (hops: readonly ListedHop[]) => {
  const { sentence, row } = explain(traceTree(hops), { application: (id) => id.toUpperCase(), api: (id) => id.replace(/-api$/, '') });
  return [sentence.map(words).join(''), row?.hop.requestId];
};

const late = (seconds: number) => ({ startedAt: `2026-11-22T11:15:5${3 + seconds}.000Z` });
const confirm = aHop('confirm', 'oms', { sequence: 1 });
const failed = aHop('failed', 'oms', { status: 503, sequence: 1 });
const refused = aHop('refused', 'oms', { status: 409, sequence: 2, ...late(1) });
const fine = aHop('fine', 'oms', { sequence: 3, ...late(2) });
const failingCalls = [
  aHop('confirm', 'oms', { status: 503, calls: ['a', 'b'] }),
  aHop('a', 'sim', { parentId: 'confirm' }),
  aHop('b', 'fms', { parentId: 'confirm', status: 503, calls: ['c'] }),
  aHop('c', 'inventory-service', { parentId: 'b', status: 503, faults: ['down'] }),
];
const unchanged = 'The parcel is delivered, and collected does not follow from that.';

test.each<[string, readonly ListedHop[], string, string | undefined]>([
  [
    'a slow trace names the fault, the waiting application, and the duration',
    confirmedOrder,
    'FMS waited 403 ms of 490 ms for ⚡slow-allocation in INVENTORY-SERVICE.',
    'allocate',
  ],
  [
    'a slow trace without a fault names the slowest call',
    [aHop('confirm', 'oms', { durationMs: 120, calls: ['a'] }), aHop('a', 'sim', { parentId: 'confirm', durationMs: 100 })],
    '100 ms of 120 ms went into a in SIM.',
    'a',
  ],
  [
    'a failed trace names the call that failed first',
    failingCalls,
    'confirm answered 503: INVENTORY-SERVICE failed c with 503, because ⚡down struck.',
    'c',
  ],
  ['a refused trace names the application that refused it', [refused], 'OMS refused refused with 409.', 'refused'],
  ['a trace of successful requests describes the latest request', [confirm, fine], 'fine succeeded in 1 ms.', 'fine'],
  ['a trace of several requests describes a refusal before a success', [refused, fine], 'OMS refused refused with 409.', 'refused'],
  ['a trace of several requests describes a failure first', [failed, refused, fine], 'OMS failed failed with 503.', 'failed'],
  [
    'a trace names a delivery that failed after the answer',
    [confirm, aHop('notified', 'crm', { parentId: 'confirm', api: 'event:notified', status: 500 })],
    'Afterwards event:notified in CRM failed with 500.',
    'notified',
  ],
  [
    'a trace has the reason why a request changed nothing',
    [aHop('webhook', 'fms', { unchanged })],
    `webhook changed nothing: ${unchanged}`,
    'webhook',
  ],
  [
    'a trace of timers states that there was no request',
    [aHop('t', 'oms', { api: 'due:expire' })],
    'Nobody called: time passed. due:expire in OMS ran first.',
    't',
  ],
  ['an empty trace states that', [], 'Nothing is on record.', undefined],
])('The sentence about %s', (_what, hops, sentence, row) => expect(explained(hops)).toEqual([sentence, row]));

test('The sentence about a trace describes the request of the client, not the webhook of the carrier', () => {
  const label = aHop('label', 'carrier-platform', { api: 'due:label', sequence: 2, ...late(1) });
  const webhook = aHop('webhook', 'fms', { api: 'carrier-webhook', sequence: 3, ...late(2) });
  expect(explained([confirm, label, webhook])).toEqual(['confirm succeeded in 1 ms.', 'confirm']);
  expect(traceTree([confirm, label, webhook]).rows.map(({ kind, from }) => [kind, from])).toEqual([
    ['request', 'client'],
    ['timer', 'carrier-platform'],
    ['webhook', 'carrier-platform'],
  ]);
});
