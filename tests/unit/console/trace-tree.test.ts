import { expect, test } from '@jest/globals';
import { traceLayout } from '../../../ui/sequence/trace-layout.ts';
import { traceTree } from '../../../ui/sequence/trace-tree.ts';
import { aHop, confirmedOrder } from './a-hop.ts';

const shown = (hops: Parameters<typeof traceTree>[0]) =>
  traceTree(hops).rows.map(({ hop, from, depth, kind }) => `${'  '.repeat(depth)}${kind} ${from} → ${hop.application}: ${hop.requestId}`);

test('The tree of a trace lists each call below its caller, and hops after the answer at the end', () => {
  expect(shown(confirmedOrder)).toEqual([
    'request client → oms: confirm',
    '  call oms → payment-hub: list-payments',
    '  call oms → fms: fulfill',
    '    call fms → inventory-service: allocate',
    '      call inventory-service → sim: get-reservation',
    'event fms → wms: taken-in',
  ]);
  expect(traceTree(confirmedOrder).afterwards).toBe(5);
});

test('The tree of a trace has the position of the last call of each hop', () =>
  expect(traceTree(confirmedOrder).rows.map(({ last }) => last)).toEqual([4, 1, 4, 4, 4, 5]));

test('The tree of a trace sorts calls as their caller lists them, and other hops by start', () => {
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

test('The tree of a trace shows a hop as a root when the journal has discarded its cause', () => {
  expect(shown([aHop('call', 'sim', { parentId: 'gone' }), aHop('notified', 'crm', { parentId: 'gone', api: 'event:x' })])).toEqual([
    'request client → sim: call',
    'event crm → crm: notified',
  ]);
});

test('The tree of a trace shows every hop once, even when hops name each other as cause', () => {
  const circle = [aHop('a', 'oms', { parentId: 'b' }), aHop('b', 'oms', { parentId: 'a' }), aHop('c', 'oms', { parentId: 'c' })];
  expect(shown(circle)).toHaveLength(3);
});

test('The tree of a trace lists a timer and its calls after the requests', () => {
  const hops = [aHop('t', 'oms', { api: 'due:expire' }), aHop('void', 'payment-hub', { parentId: 't' }), aHop('r', 'oms')];
  expect(shown(hops)).toEqual(['request client → oms: r', 'timer oms → oms: t', '  call oms → payment-hub: void']);
});

test('The tree of a trace without hops is empty', () => expect(traceTree([])).toEqual({ rows: [], afterwards: 0 }));

test('The tree of a trace is deeper than the stack when the journal of a snapshot is', () => {
  const deep = 8_000;
  const hops = Array.from({ length: deep }, (_, n) => aHop(`h${n}`, 'oms', n === 0 ? {} : { parentId: `h${n - 1}` }));
  const { rows } = traceTree(hops);
  expect(rows.map(({ depth }) => depth)).toEqual(hops.map((_, n) => n));
  expect(new Set(rows.map(({ last }) => last))).toEqual(new Set([deep - 1]));
  const { messages } = traceLayout({ rows, afterwards: deep }, 720);
  expect(new Set(messages.map(({ bar }) => bar.y + bar.height)).size).toBe(1);
});
