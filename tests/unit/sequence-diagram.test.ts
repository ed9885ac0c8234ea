import { expect, test } from '@jest/globals';
import { journalDiagrams } from '../../command-line/output/journal-diagrams.ts';
import type { ListedHop as Hop } from '../../ui/data/hop.ts';
import { mermaidOf } from '../../ui/sequence/mermaid.ts';
import { sequenceOf } from '../../ui/sequence/sequence.ts';

const DAY = Date.UTC(2026, 2, 1, 10);
let sequence = 0;

/** A hop that begins after a number of milliseconds. */
const hop = (requestId: string, application: string, api: string, after: number, more: Partial<Hop> = {}): Hop => {
  const at = new Date(DAY + after).toISOString();
  const request = { requestId, correlationId: 'my-order', sequence: ++sequence, method: 'POST', path: '/', status: 200 };
  return { ...request, application, api, startedAt: at, at, durationMs: 5, calls: [], faults: [], ...more };
};

const svg = (items: readonly Hop[]): Promise<string> => journalDiagrams.svg({ items });

test('The sequence of a journal puts a cause before its effects when they begin in one millisecond, or when the clocks of two machines differ', () => {
  const hops = [
    hop('late', 'crm', 'get-customer-api', 1, { parentId: 'a' }),
    hop('early', 'sim', 'get-reservation', -20, { parentId: 'a' }),
    hop('a', 'oms', 'confirm-order-api', 1, { calls: ['early', 'late'] }),
  ];
  expect(sequenceOf(hops).arrows.map(({ hop: { requestId } }) => requestId)).toEqual(['a', 'early', 'late']);
});

test('The sequence of a journal has a note where the clock was moved between two hops', async () => {
  const later = hop('b', 'carrier-platform', 'due:planned-scan', 3, { at: new Date(DAY + 2 * 3_600_000).toISOString() });
  const whole = sequenceOf([hop('a', 'oms', 'confirm-order-api', 1), later]);
  expect(mermaidOf(whole, [whole])).toContain('Note over p1,p3: 2 hours later: 2026-03-01 12:00:00');
  expect(await svg([hop('a', 'oms', 'confirm-order-api', 1), later])).toContain('2 hours later: 2026-03-01 12:00:00');
});

const struck = hop('a', 'payment-hub', 'capture-payment-api', 1, { status: 504, faults: ['lost'] });
const delivered = hop('b', 'pos', 'event:payment-captured', 2, { parentId: 'a' });

test('A diagram marks faults and failures, and distinguishes calls, events and webhooks', async () => {
  const whole = sequenceOf([struck, delivered, hop('h', 'fms', 'carrier-webhook', 3)]);
  expect(mermaidOf(whole, [{ title: '1. Capture', arrows: whole.arrows }])).toBe(`sequenceDiagram
  autonumber
  participant p1 as Client
  participant p2 as Payment Hub
  participant p3 as POS
  participant p4 as FMS
  Note over p1,p4: 1. Capture
  p1-xp2: ⚡ Capture Payment 504 · 5 ms · lost
  p2--)p3: payment-captured 5 ms
  p1-)p4: Carrier Webhook 200 · 5 ms
`);
  const drawn = await svg([struck, delivered]);
  expect(drawn).toContain('<title>Client to Payment Hub: Capture Payment, 504 · 5 ms, struck by the fault lost</title>');
  expect(drawn).toMatch(/<g class="plain sequence_request bad sequence_failed">.*<g class="sequence_event event sequence_delivered">/s);
  expect(drawn).toContain('light-dark(');
});

test('A diagram numbers its arrows over all its parts, and its labels have a halo where they cross lines', async () => {
  const drawn = await svg(Array.from({ length: 40 }, (_, place) => hop(`r${place}`, 'oms', 'get-order-api', place)));
  const numbers = [...drawn.matchAll(/sequence_number">(\d+)</g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, place) => place + 1));
  expect(drawn).toMatch(/\.sequence_label ?\{[^}]*paint-order: ?stroke/);
});

test('A diagram shows hostile text as text', async () => {
  const hostile = '"><script>alert(1)</script>\n; end %%{init}%% \u0000\u001B[31m\uD800#';
  const hops = [hop('a', `oms${hostile}`, `event:${hostile}`, 1, { faults: [hostile] })];
  const whole = sequenceOf(hops);
  const text = mermaidOf(whole, [{ title: hostile, arrows: whole.arrows }]);
  expect(text.split('\n')).toHaveLength(6);
  expect(text.replaceAll(/#\d+;/g, '')).not.toMatch(/[<>;%"#{}]|[^\P{C}\n]/u);
  const drawn = await svg(hops);
  expect(drawn).not.toContain('<script');
  expect(drawn).not.toMatch(/[^\P{C}\n]/u);
  expect(drawn).toContain('&lt;script>');
});

test('An empty diagram notes that the journal has no matching hop', async () => {
  expect(mermaidOf(sequenceOf([]), [])).toContain('The journal has no matching hop.');
  expect(await svg([])).toContain('The journal has no matching hop.');
});
