import { describe, expect, test } from '@jest/globals';
import { type FaultPresetId, faultPresets } from '../../shared/catalog/control/fault-presets.ts';
import { FaultInput } from '../../shared/catalog/control/faults.ts';
import { type Fulfilling, fulfilling } from '../services/parcel-scenes.ts';
import { eventually } from '../support/eventually.ts';

interface Scene {
  /** What happens before the preset is set. */
  readonly before?: (scene: Fulfilling) => Promise<string>;
  readonly call: (scene: Fulfilling, subject: string) => Promise<unknown>;
}

const authorise = ({ rehearsal }: Fulfilling, orderId: string) =>
  rehearsal.call('POST', '/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
const unpaid: Scene['before'] = async ({ draft }) => (await draft()).id;
const labelled: Scene = { call: async ({ dispatched }) => (await dispatched()).shipmentId };
const sold: Scene = { call: ({ confirmed }) => confirmed() };

/** A call that each preset concerns. */
const SCENES: { readonly [Id in FaultPresetId]: Scene } = {
  'payment-hub-down': { before: unpaid, call: authorise },
  'card-payments-slow': { before: unpaid, call: authorise },
  'capture-answer-lost': {
    before: async (scene) => (await scene.authorise((await scene.draft()).id)).id,
    call: ({ rehearsal }, id) => rehearsal.call('POST', `/payments/authorizations/${id}/capture`, {}),
  },
  'oms-down': {
    before: async ({ lockedBasket }) => (await lockedBasket()).id,
    call: ({ rehearsal }, basketId) => rehearsal.call('POST', '/orders', { basketId }),
  },
  'promotions-fail': { call: ({ rehearsal }) => rehearsal.call('POST', '/vouchers/WELCOME10/validate', {}) },
  'loyalty-slow': { call: ({ rehearsal }) => rehearsal.call('GET', '/members/loy_ada/balance') },
  'customer-lookups-break': {
    call: async ({ rehearsal }) => {
      for (let count = 0; count < 12; count++) await rehearsal.call('GET', '/customers/cus_ada').catch(() => undefined);
    },
  },
  'allocation-fails-once': { call: ({ rehearsal }) => rehearsal.call('POST', '/inventory/allocate', { orderId: 'ord_1', lines: [] }) },
  'last-unit-race': {
    call: ({ rehearsal }) => {
      const reserve = () => rehearsal.call('POST', '/inventory/reservations', { items: [{ sku: 'lamp-last-one', qty: 1 }] });
      return Promise.all([reserve(), reserve()]);
    },
  },
  'carrier-unreachable': { call: ({ rehearsal }) => rehearsal.call('GET', '/shipments/shp_1/tracking', undefined, { as: 'api-key' }) },
  'order-events-twice': sold,
  'order-events-out-of-order': sold,
  'payment-events-late': sold,
  'carrier-webhooks-lost': labelled,
  'carrier-webhooks-bad-signature': labelled,
  'carrier-webhooks-stale': labelled,
};

describe('A preset of faults', () => {
  test.each(faultPresets.map(({ id, rule }) => ({ id, rule })))('strikes a call that it concerns: $id', async ({ id, rule }) => {
    await using scene = await fulfilling();
    const { before, call } = SCENES[id];
    const subject = (await before?.(scene)) ?? '';
    expect(await scene.rehearsal.fault(id, rule)).toMatchObject({ name: id, hits: 0 });
    await call(scene, subject);
    await eventually(`a strike of ${id}`, async () => (await scene.rehearsal.faults()).some(({ hits }) => hits > 0));
    await scene.rehearsal.noFaults();
  });
});

describe('The presets of faults', () => {
  test('are listed with rules that put-fault takes as they are', async () => {
    await using scene = await fulfilling();
    const { items } = await scene.rehearsal.client.control('list-fault-presets');
    expect(items).toEqual(faultPresets.map((preset) => ({ ...preset, rule: FaultInput.parse(preset.rule) })));
  });

  test('have titles and ids of their own', () => {
    expect(new Set(faultPresets.map(({ id }) => id)).size).toBe(faultPresets.length);
    expect(new Set(faultPresets.map(({ title }) => title)).size).toBe(faultPresets.length);
  });
});
