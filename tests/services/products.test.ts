import { describe, expect, test } from '@jest/globals';
import * as ecommercePlatform from '../../services/ecommerce-platform/service.ts';
import { moveProduct } from '../../shared/catalog/commerce/internal.ts';
import { type ProductVerb, productLifeCycle } from '../../shared/catalog/commerce/objects.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';
import { typesOf } from '../support/steps/events.ts';

type Verb = (typeof ProductVerb)['options'][number];

const play = (rehearsal: TestRehearsal, id: string, verb: Verb) =>
  rehearsal.client.control('move-product-by-hand', { params: { id, verb } }) as Promise<{ id: string; state: string; version: number }>;

const statusOf = async (rehearsal: TestRehearsal, id: string): Promise<number> =>
  (await rehearsal.call('get-product-api', { params: { id } })).status;

/** The verbs that lead to each state from `draft`, the state of radio-draft. */
const wayTo: Readonly<Record<string, readonly Verb[]>> = {
  draft: [],
  enrichment: ['enrich'],
  review: ['enrich', 'submit'],
  active: ['enrich', 'submit', 'approve'],
  suspended: ['enrich', 'submit', 'approve', 'suspend'],
  discontinued: ['enrich', 'submit', 'approve', 'discontinue'],
  archived: ['enrich', 'submit', 'approve', 'discontinue', 'archive'],
};
const verbs: readonly Verb[] = ['enrich', 'submit', 'rework', 'approve', 'suspend', 'resume', 'discontinue', 'archive'];

const move = (estate: Inside, verb: Verb) => estate.play(moveProduct, { params: { id: 'radio-draft' }, body: { verb } });

describe('A product', () => {
  test('moves from draft to the archive and is found from active until it is archived', async () => {
    await using rehearsal = await newRehearsal();
    const found: [string, number][] = [['draft', await statusOf(rehearsal, 'radio-draft')]];
    for (const verb of ['enrich', 'submit', 'rework', 'submit', 'approve', 'suspend', 'resume', 'discontinue', 'archive'] as const) {
      const { state } = await play(rehearsal, 'radio-draft', verb);
      found.push([state, await statusOf(rehearsal, 'radio-draft')]);
    }
    expect(found).toEqual([
      ...[
        ['draft', 404],
        ['enrichment', 404],
        ['review', 404],
        ['enrichment', 404],
        ['review', 404],
      ],
      ...[
        ['active', 200],
        ['suspended', 200],
        ['active', 200],
        ['discontinued', 200],
        ['archived', 404],
      ],
    ]);
    const events = await rehearsal.events({ subject: 'product/prd_radio-draft', ext: true });
    expect(typesOf(events)).toEqual(Array.from({ length: 9 }, () => 'ext.product-changed'));
    expect(events.map(({ aggregateversion }) => aggregateversion)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(events.at(5)).toMatchObject({
      classification: 'transitioned',
      data: { previousState: 'active', object: { state: 'suspended' } },
    });
    await rehearsal.verify();
  });

  test.each(Object.keys(wayTo))('that is %s accepts only the verbs of its table', async (state) => {
    await using estate = await startInside(ecommercePlatform);
    for (const verb of verbs) {
      await using fresh = await startInside(ecommercePlatform);
      for (const step of wayTo[state] ?? []) await move(fresh, step);
      const row = productLifeCycle.rows.find((one) => one.verb === verb && (one.from as readonly (string | null)[]).includes(state));
      const outcome = await move(fresh, verb).then(
        (moved) => moved.state,
        ({ code, context }: Problem) => [code, context['currentState'], context['action']],
      );
      expect(outcome).toEqual(row ? row.to[0] : ['invalid_state_transition', state, verb]);
    }
    expect(await estate.events()).toEqual([]);
  });

  test('that is unknown, or an unknown verb, is refused', async () => {
    await using rehearsal = await newRehearsal();
    await expect(play(rehearsal, 'no-such-thing', 'suspend')).rejects.toThrow('404');
    await expect(play(rehearsal, 'mug-blue', 'polish' as Verb)).rejects.toThrow('enrich');
    await expect(play(rehearsal, 'mug-blue', 'resume')).rejects.toThrow('409');
  });
});

describe.each(['suspend', 'discontinue'] as const)('A product in an open basket, after %s', (verb) => {
  const state = verb === 'suspend' ? 'suspended' : 'discontinued';
  const refusal = {
    status: 409,
    body: { code: 'invalid_state_transition', objectType: 'product', id: 'prd_mug-blue', currentState: state, allowedFrom: ['active'] },
  };

  test('cannot be added to a line or checked out, and the basket stays open', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await rehearsal.basket({ qty: 1 });
    await play(rehearsal, 'mug-blue', verb);
    expect(await rehearsal.call('add-line-to-basket-api', { params: { id: basket.id }, body: { sku: 'mug-blue', qty: 1 } })).toMatchObject(
      refusal,
    );
    expect(await rehearsal.call('checkout-basket-api', { params: { id: basket.id }, body: { shippingAddress: ADDRESS } })).toMatchObject(
      refusal,
    );
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open', version: basket.version });
    const till = { storeId: 'store-01', laneId: 'lane-1' };
    expect(await rehearsal.call('create-transaction-api', { body: { ...till, basketId: basket.id } })).toMatchObject(refusal);
    expect(await rehearsal.call('create-transaction-api', { body: { ...till, lines: [{ sku: 'mug-blue', qty: 1 }] } })).toMatchObject(
      refusal,
    );
    expect(await rehearsal.call('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } })).toMatchObject(
      refusal,
    );
    await rehearsal.verify();
  });
});

test('A resumed product is for sale again', async () => {
  await using rehearsal = await newRehearsal();
  await play(rehearsal, 'chair-suspended', 'resume');
  const basket = await rehearsal.basket({ sku: 'chair-suspended', qty: 1 });
  expect(await rehearsal.call('checkout-basket-api', { params: { id: basket.id }, body: { shippingAddress: ADDRESS } })).toMatchObject({
    status: 200,
  });
});
