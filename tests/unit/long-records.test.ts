import { expect, test } from '@jest/globals';
import type { EnteredRehearsal } from '../../control/operate.ts';
import { recorded } from '../../control/story/record-operation.ts';
import { trackShipment } from '../../shared/catalog/fulfillment/apis.ts';
import { withoutSecretsInTurns } from '../../shared/contract/secrets.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { readAnswer } from '../../shared/elsewhere/swap/read-answer.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';

const DIGITS = '1 '.repeat(100_000);
const CARD = '4111 1111 1111 1111';

test('A log writes the start of a very long line, redacted, as a line of JSON with its level', () => {
  const lines: string[] = [];
  const log = createLogger('info', { write: (line) => void lines.push(line) });
  log.warn({ text: `${CARD} ${DIGITS}` }, 'long');
  const [line = ''] = lines;
  expect(line.length).toBeLessThan(40_000);
  expect(JSON.parse(line)).toMatchObject({
    level: 40,
    time: expect.stringMatching(/^\d{4}-/),
    start: expect.stringContaining('[redacted]'),
  });
  expect(line).not.toContain(CARD);
});

test('The answer of a real system with 8,000 items of three values is refused before its members are checked', () => {
  const events = Array.from({ length: 8_000 }, () => ({ status: 'in_transit', at: '2026-03-01T10:00:00.000Z' }));
  const reply = { status: 200, body: Buffer.from(JSON.stringify({ events })), retryAfter: undefined, durationMs: 1 };
  expect(() => readAnswer(trackShipment, reply)).toThrow('JSON of more than 20,000 values');
});

test('The record of an operation has no body that is too long to be redacted', async () => {
  const { worlds } = createMemoryStore();
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  const view = await worlds.current(world);
  const sent = { params: {}, query: {}, body: { data: DIGITS }, lastEventId: undefined };
  const entered = { rehearsal: 'r', world, view, correlationId: 'c' } as EnteredRehearsal;
  await recorded({ worlds, log: createLogger('silent') }, { id: 'report-change', sent, entered }, async () => undefined);
  const [{ json = '' } = {}] = await worlds.entries(world, 'operations', { limit: 1 });
  expect(JSON.parse(json)).toMatchObject({ id: 'report-change', body: { truncated: true } });
});

test('A long body of the control plane is searched for secrets in pieces, after its schema', async () => {
  const order: string[] = [];
  const inSlices = (run: (breathe: Breathe) => Promise<void>): Promise<void> =>
    run(() => {
      order.push('piece');
      return undefined;
    });
  const search = (value: unknown): Promise<unknown> =>
    withoutSecretsInTurns({ value, text: JSON.stringify(value) }, () => order.push('schema'), inSlices);
  await search({ data: DIGITS });
  expect([order[0], order.length > 10]).toEqual(['schema', true]);
  await expect(search({ data: DIGITS, card: CARD })).rejects.toMatchObject({
    context: { errors: [{ pointer: '/card', code: 'card_number' }] },
  });
});
