import { describe, expect, test } from '@jest/globals';
import { explain, type Part } from '../../../ui/activity/explanation.ts';
import type { ListedHop } from '../../../ui/data/hop.ts';
import { traceTree } from '../../../ui/sequence/trace-tree.ts';
import { aHop, confirmedOrder } from './a-hop.ts';

const words = (part: Part): string => (typeof part === 'string' ? part : 'strong' in part ? part.strong : `⚡${part.fault}`);
const explained = (hops: readonly ListedHop[]) => {
  const { sentence, row } = explain(traceTree(hops), { application: (id) => id.toUpperCase(), api: (id) => id.replace(/-api$/, '') });
  return [sentence.map(words).join(''), row?.hop.requestId];
};

describe('The sentence about a trace', () => {
  test('The sentence about a slow trace names the fault, the waiting application, and the duration', () => {
    expect(explained(confirmedOrder)).toEqual(['FMS waited 403 ms of 490 ms for ⚡slow-allocation in INVENTORY-SERVICE.', 'allocate']);
  });

  test('The sentence about a failed trace names the call that failed first', () => {
    const hops = [
      aHop('confirm', 'oms', { status: 503, calls: ['a', 'b'] }),
      aHop('a', 'sim', { parentId: 'confirm' }),
      aHop('b', 'fms', { parentId: 'confirm', status: 503, calls: ['c'] }),
      aHop('c', 'inventory-service', { parentId: 'b', status: 503, faults: ['down'] }),
    ];
    expect(explained(hops)).toEqual(['confirm answered 503: INVENTORY-SERVICE failed c with 503, because ⚡down struck.', 'c']);
  });

  test('The sentence about a refused trace names the application that refused it', () => {
    expect(explained([aHop('authorize', 'payment-hub', { status: 402 })])).toEqual([
      'PAYMENT-HUB refused authorize with 402.',
      'authorize',
    ]);
  });

  test('The sentence about a trace of successful requests describes the latest request', () => {
    const first = aHop('first', 'oms', { sequence: 1 });
    const second = aHop('second', 'oms', { sequence: 2, startedAt: '2026-11-22T11:15:54.000Z' });
    expect(explained([first, second])).toEqual(['second succeeded in 1 ms.', 'second']);
  });

  test('The sentence about a trace of several requests describes the worst one', () => {
    const failed = aHop('failed', 'oms', { status: 503, sequence: 1 });
    const refused = aHop('refused', 'oms', { status: 409, sequence: 2, startedAt: '2026-11-22T11:15:54.000Z' });
    const fine = aHop('fine', 'oms', { sequence: 3, startedAt: '2026-11-22T11:15:55.000Z' });
    expect(explained([refused, fine])).toEqual(['OMS refused refused with 409.', 'refused']);
    expect(explained([failed, refused, fine])).toEqual(['OMS failed failed with 503.', 'failed']);
  });

  test('The sentence about a trace describes the request of the client, not the webhook of the carrier', () => {
    const confirm = aHop('confirm', 'oms', { sequence: 1 });
    const label = aHop('label', 'carrier-platform', { api: 'due:label', sequence: 2, startedAt: '2026-11-22T11:15:54.000Z' });
    const webhook = aHop('webhook', 'fms', { api: 'carrier-webhook', sequence: 3, startedAt: '2026-11-22T11:15:55.000Z' });
    expect(explained([confirm, label, webhook])).toEqual(['confirm succeeded in 1 ms.', 'confirm']);
    expect(traceTree([confirm, label, webhook]).rows.map(({ kind, from }) => [kind, from])).toEqual([
      ['request', 'client'],
      ['timer', 'carrier-platform'],
      ['webhook', 'carrier-platform'],
    ]);
  });

  test('The sentence about a trace names a delivery that failed after the answer', () => {
    const hops = [aHop('confirm', 'oms'), aHop('notified', 'crm', { parentId: 'confirm', api: 'event:notified', status: 500 })];
    expect(explained(hops)).toEqual(['Afterwards event:notified in CRM failed with 500.', 'notified']);
  });

  test('The sentence about a slow trace without a fault names the slowest call', () => {
    const hops = [aHop('confirm', 'oms', { durationMs: 120, calls: ['a'] }), aHop('a', 'sim', { parentId: 'confirm', durationMs: 100 })];
    expect(explained(hops)).toEqual(['100 ms of 120 ms went into a in SIM.', 'a']);
  });

  test('The sentence about a trace has the reason why a request changed nothing', () => {
    const unchanged = 'The parcel is delivered, and collected does not follow from that.';
    expect(explained([aHop('webhook', 'fms', { unchanged })])).toEqual([`webhook changed nothing: ${unchanged}`, 'webhook']);
  });

  test('The sentence about a trace of timers states that there was no request', () => {
    expect(explained([aHop('t', 'oms', { api: 'due:expire' })])).toEqual(['Nobody called: time passed. due:expire in OMS ran first.', 't']);
    expect(explained([])).toEqual(['Nothing is on record.', undefined]);
  });
});
