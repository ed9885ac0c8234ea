import { describe, expect, test } from '@jest/globals';
import { type FaultPresetId, faultPresets } from '../../shared/catalog/control/fault-presets.ts';
import { FaultInput } from '../../shared/catalog/control/faults.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';

interface Scene {
  /** What happens before the preset is set. */
  readonly before?: (scene: TestRehearsal) => Promise<string>;
  readonly call: (scene: TestRehearsal, subject: string) => Promise<unknown>;
}

const authorise = (rehearsal: TestRehearsal, orderId: string) =>
  rehearsal.call('authorize-payment-api', { body: { orderId, tender: { type: 'card', token: 'tok_visa' } } });
const unpaid: Scene['before'] = async ({ draft }) => (await draft()).id;
const labelled: Scene = { call: async ({ dispatchedOrder }) => (await dispatchedOrder()).shipmentId };
const sold: Scene = { call: ({ confirmed }) => confirmed() };

/** A call that each preset concerns. */
const SCENES: { readonly [Id in FaultPresetId]: Scene } = {
  'payment-hub-down': { before: unpaid, call: authorise },
  'card-payments-slow': { before: unpaid, call: authorise },
  'capture-answer-lost': {
    before: async (scene) => (await scene.authorisation((await scene.draft()).id)).id,
    call: (rehearsal, id) => rehearsal.call('capture-payment-api', { params: { id }, body: {} }),
  },
  'oms-down': {
    before: async ({ checkedOut }) => (await checkedOut()).id,
    call: (rehearsal, basketId) => rehearsal.call('create-order-api', { body: { basketId } }),
  },
  'promotions-fail': { call: (rehearsal) => rehearsal.call('validate-voucher-api', { params: { code: 'WELCOME10' }, body: {} }) },
  'loyalty-slow': { call: (rehearsal) => rehearsal.call('get-member-balance-api', { params: { id: 'loy_ada' } }) },
  'customer-lookups-break': {
    call: async (rehearsal) => {
      for (let count = 0; count < 12; count++)
        await rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } }).catch(() => undefined);
    },
  },
  'allocation-fails-once': { call: (rehearsal) => rehearsal.call('allocate-inventory-api', { body: { orderId: 'ord_1', lines: [] } }) },
  'last-unit-race': {
    call: (rehearsal) => {
      const reserve = () => rehearsal.call('reserve-inventory-api', { body: { items: [{ sku: 'lamp-last-one', qty: 1 }] } });
      return Promise.all([reserve(), reserve()]);
    },
  },
  'carrier-unreachable': { call: (rehearsal) => rehearsal.call('track-shipment-api', { params: { id: 'shp_1' } }) },
  'order-events-twice': sold,
  'order-events-out-of-order': sold,
  'payment-events-late': sold,
  'carrier-webhooks-lost': labelled,
  'carrier-webhooks-bad-signature': labelled,
  'carrier-webhooks-stale': labelled,
};

describe('A preset of faults', () => {
  test.each(faultPresets.map(({ id, rule }) => ({ id, rule })))('strikes a call that it concerns: $id', async ({ id, rule }) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { before, call } = SCENES[id];
    const subject = (await before?.(scene)) ?? '';
    expect(await scene.fault(id, rule)).toMatchObject({ name: id, hits: 0 });
    await call(scene, subject);
    await eventually(`a strike of ${id}`, async () => (await scene.faults()).some(({ hits }) => hits > 0));
    await scene.noFaults();
  });
});

describe('The presets of faults', () => {
  test('are listed with rules that put-fault takes as they are', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { items } = await scene.client.control('list-fault-presets');
    expect(items).toEqual(faultPresets.map((preset) => ({ ...preset, rule: FaultInput.parse(preset.rule) })));
  });

  test('have titles and ids of their own', () => {
    expect(new Set(faultPresets.map(({ id }) => id)).size).toBe(faultPresets.length);
    expect(new Set(faultPresets.map(({ title }) => title)).size).toBe(faultPresets.length);
  });
});
