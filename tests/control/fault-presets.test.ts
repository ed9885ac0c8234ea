import { expect, test } from '@jest/globals';
import { type FaultPresetId, faultPresets } from '../../shared/catalog/control/fault-presets.ts';
import { FaultInput } from '../../shared/catalog/control/faults.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { collectionSteps } from '../support/steps/collection.ts';

interface Story {
  /** What happens before the preset is set. */
  readonly before?: (rehearsal: TestRehearsal) => Promise<string>;
  readonly call: (rehearsal: TestRehearsal, subject: string) => Promise<unknown>;
}

const authorise = (rehearsal: TestRehearsal, orderId: string) =>
  rehearsal.call('authorize-payment-api', { body: { orderId, tender: { type: 'card', token: 'tok_visa' } } });
const unpaid: Story['before'] = async ({ draft }) => (await draft()).id;
const labelled: Story = { call: async ({ dispatchedOrder }) => (await dispatchedOrder()).shipmentId };
const sold: Story = { call: ({ confirmed }) => confirmed() };

/** A call that each preset concerns. */
const STORIES: { readonly [Id in FaultPresetId]: Story } = {
  'payment-hub-down': { before: unpaid, call: authorise },
  'card-payments-slow': { before: unpaid, call: authorise },
  'capture-answer-lost': {
    before: async ({ draft, authorisation }) => (await authorisation((await draft()).id)).id,
    call: (rehearsal, id) => rehearsal.call('capture-payment-api', { params: { id }, body: {} }),
  },
  'oms-down': {
    before: async ({ checkedOut }) => (await checkedOut()).id,
    call: (rehearsal, basketId) => rehearsal.call('create-order-api', { body: { basketId } }),
  },
  'till-down': {
    call: (rehearsal) =>
      rehearsal.call('create-transaction-api', { body: { storeId: 'store-01', laneId: 'SCO-01', lines: [{ sku: 'mug-blue', qty: 1 }] } }),
  },
  'promotions-fail': { call: (rehearsal) => rehearsal.call('validate-voucher-api', { params: { code: 'WELCOME10' }, body: {} }) },
  'loyalty-slow': { call: (rehearsal) => rehearsal.call('get-member-balance-api', { params: { id: 'loy_ada' } }) },
  'customer-lookups-break': {
    call: async (rehearsal) => {
      for (let count = 0; count < 12; count++)
        await rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } }).catch(() => undefined);
    },
  },
  'access-token-expires': {
    call: (rehearsal) => rehearsal.call('POST', '/orders/ord_1/confirm', {}, { as: 'access-token' }),
  },
  'allocation-fails-once': { call: (rehearsal) => rehearsal.call('allocate-inventory-api', { body: { orderId: 'ord_1', lines: [] } }) },
  'last-unit-race': {
    call: (rehearsal) => {
      const reserve = () => rehearsal.call('reserve-inventory-api', { body: { items: [{ sku: 'lamp-last-one', qty: 1 }] } });
      return Promise.all([reserve(), reserve()]);
    },
  },
  'carrier-unreachable': { call: (rehearsal) => rehearsal.call('track-shipment-api', { params: { id: 'shp_1' } }) },
  'order-answer-lost': {
    before: async ({ checkedOut }) => (await checkedOut()).id,
    call: (rehearsal, basketId) => rehearsal.call('create-order-api', { body: { basketId } }),
  },
  'change-answer-lost': {
    call: (rehearsal) => rehearsal.call('change-order-api', { params: { id: 'ord_1' }, body: { shippingMethod: 'STANDARD' } }),
  },
  'replacement-answer-lost': {
    call: (rehearsal) => {
      const body = { lines: [{ orderLineId: 'bsk_1-1', qty: 1 }], reason: 'damaged' as const };
      return rehearsal.call('create-replacement-api', { params: { id: 'ord_1' }, body });
    },
  },
  'hand-over-answer-lost': {
    call: (rehearsal) => rehearsal.call('hand-over-collection-api', { params: { id: 'ful_1' }, body: { code: '123456' } }),
  },
  'collection-messages-withheld': { call: (rehearsal) => collectionSteps(rehearsal).atCounter() },
  'order-events-twice': sold,
  'order-events-out-of-order': sold,
  'payment-events-late': sold,
  'carrier-webhooks-lost': labelled,
  'carrier-webhooks-bad-signature': labelled,
  'carrier-webhooks-stale': labelled,
};

test.each(faultPresets.map(({ id, rule }) => ({ id, rule })))('The preset $id strikes a call that it matches', async ({ id, rule }) => {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  const { before, call } = STORIES[id];
  const subject = (await before?.(rehearsal)) ?? '';
  expect(await rehearsal.fault(id, rule)).toMatchObject({ name: id, hits: 0 });
  await call(rehearsal, subject);
  await eventually(`a strike of ${id}`, async () => (await rehearsal.faults()).some(({ hits }) => hits > 0));
  await rehearsal.noFaults();
});

test('The presets of faults are listed with rules that put-fault takes', async () => {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  const { items } = await rehearsal.control('list-fault-presets');
  expect(items).toEqual(faultPresets.map((preset) => ({ ...preset, rule: FaultInput.parse(preset.rule) })));
});
