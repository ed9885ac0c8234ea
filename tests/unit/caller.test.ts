import { expect, test } from '@jest/globals';
import { reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { evaluatePromotions } from '../../shared/catalog/promotion/apis.ts';
import type { Context } from '../../shared/control/context.ts';
import { createCaller } from '../../shared/transport/caller.ts';
import type { Transport } from '../../shared/transport/transport.ts';

const ids = { requestId: 'req_1', correlationId: 'story' };
const context: Context = { world: 'r~1', now: 0, principal: 'test', ...ids, deadline: Date.now() + 60_000, faults: 0, chain: [] };

function refusedCaller() {
  const keys: (string | undefined)[] = [];
  const changes: boolean[] = [];
  const transport: Transport = {
    urlOf: () => '',
    send: async ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      throw new Error('refused');
    },
  };
  const call = createCaller(
    { application: 'ecommerce-platform', transport },
    { context, key: 'key', notes: { hopId: 'req_1', calls: [] }, beforeCall: (changesSomething) => changes.push(changesSomething) },
  );
  return { call, keys, changes };
}

test('A repeated call between applications has the same key, and calls of other steps and intents have different keys', async () => {
  const { call, keys, changes } = refusedCaller();
  for (const options of [{}, {}, { step: '2' }, { intent: 'order' }, { intent: 'order', step: '2' }]) {
    await expect(call(reserveInventory, { body: { items: [{ sku: 'mug-blue', qty: 1 }] } }, options)).rejects.toThrow('refused');
  }
  const [first, repeated] = keys;
  expect([first, repeated, changes[0]]).toEqual([expect.stringMatching(/^call-/), first, true]);
  expect(new Set(keys).size).toBe(4);
});

test('A call between applications has no key if the command stores nothing, so the called application stores no answer', async () => {
  const { call, keys, changes } = refusedCaller();
  const lines = [{ sku: 'mug-blue', qty: 1, unitPrice: { amount: 100, currency: 'EUR' } }];
  await expect(call(evaluatePromotions, { body: { lines } })).rejects.toThrow('refused');
  expect([keys, changes]).toEqual([[undefined], [false]]);
});
