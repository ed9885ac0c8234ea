import { describe, expect, test } from '@jest/globals';
import { traceTree } from '../../../ui/sequence/trace-tree.ts';
import { aHop, confirmedOrder } from './a-hop.ts';

const shown = (hops: Parameters<typeof traceTree>[0]) =>
  traceTree(hops).rows.map(({ hop, from, depth, kind }) => `${'  '.repeat(depth)}${kind} ${from} → ${hop.application}: ${hop.requestId}`);

describe('The tree of a trace', () => {
  test('lists each call below its caller, and what ran afterwards at the end', () => {
    expect(shown(confirmedOrder)).toEqual([
      'request client → oms: confirm',
      '  call oms → payment-hub: list-payments',
      '  call oms → fms: fulfill',
      '    call fms → inventory-service: allocate',
      '      call inventory-service → sim: get-reservation',
      'delivery fms → wms: taken-in',
    ]);
    expect(traceTree(confirmedOrder).afterwards).toBe(5);
  });

  test('has the place of the last call of each hop', () => {
    expect(traceTree(confirmedOrder).rows.map(({ last }) => last)).toEqual([4, 1, 4, 4, 4, 5]);
  });

  test('orders calls as their caller lists them, and others by their start', () => {
    const late = { startedAt: '2026-11-22T11:15:54.000Z' };
    const hops = [
      aHop('root', 'oms', { calls: ['b', 'a'] }),
      aHop('a', 'sim', { parentId: 'root' }),
      aHop('b', 'sim', { parentId: 'root', ...late }),
      aHop('d', 'sim', { parentId: 'root', ...late }),
      aHop('c', 'sim', { parentId: 'root' }),
    ];
    expect(traceTree(hops).rows.map(({ hop }) => hop.requestId)).toEqual(['root', 'b', 'a', 'c', 'd']);
  });

  test('shows a hop whose cause is gone from the journal as a separate tree', () => {
    expect(shown([aHop('call', 'sim', { parentId: 'gone' }), aHop('notified', 'crm', { parentId: 'gone', api: 'event:x' })])).toEqual([
      'request client → sim: call',
      'delivery crm → crm: notified',
    ]);
  });

  test('shows every hop once, even when hops name each other as cause', () => {
    const circle = [aHop('a', 'oms', { parentId: 'b' }), aHop('b', 'oms', { parentId: 'a' }), aHop('c', 'oms', { parentId: 'c' })];
    expect(shown(circle)).toHaveLength(3);
  });

  test('puts a timer and its calls after the requests', () => {
    const hops = [aHop('t', 'oms', { api: 'due:expire' }), aHop('void', 'payment-hub', { parentId: 't' }), aHop('r', 'oms')];
    expect(shown(hops)).toEqual(['request client → oms: r', 'timer oms → oms: t', '  call oms → payment-hub: void']);
  });

  test('is empty without hops', () => {
    expect(traceTree([])).toEqual({ rows: [], afterwards: 0 });
  });
});
