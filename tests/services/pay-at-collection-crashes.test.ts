import { expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Step } from '../support/each-crash.ts';
import { crashSteps } from '../support/steps/crash-steps.ts';
import { payAtCounterSteps, TILL } from '../support/steps/pay-at-counter.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

/** A process is killed at one of its commits while a till takes the payment of an order: the order is paid once, or nothing is taken. */
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

interface Known {
  readonly orderId: string;
  readonly fulfillmentOrderId: string;
  readonly code: string;
}

const steps = (estate: CrashingEstate) => {
  const story = crashSteps(estate);
  return { ...story, ...payAtCounterSteps(story) };
};

const begin = (estate: CrashingEstate): Promise<Known> => steps(estate).unpaidAtCounter();

const insist =
  (application: Application, what: (known: Known) => readonly [path: string, body: object]): Step<Known> =>
  async (estate, known) => {
    const [path, body] = what(known);
    await estate.insist(application, 'POST', path, body, `${path} ${JSON.stringify(body)}`);
    return known;
  };
const ask =
  (application: Application, what: (known: Known) => readonly [path: string, body: object]): Step<Known> =>
  async (estate, known) => {
    const [path, body] = what(known);
    await estate.ask(application, 'POST', path, body, `${path} ${JSON.stringify(body)}`).catch(() => undefined);
    return known;
  };

const open = (orderId: string) => ['/transactions', { ...TILL, orderId }] as const;
const tender = (orderId: string, by: object, amount: number) =>
  [`/transactions/${orderId}/payment`, { tender: by, amount: eur(amount) }] as const;

const KILLED: readonly Application[] = ['pos', 'payment-hub', 'oms'];

test('The till takes the payment of an order once, whichever process dies, and the goods are handed over', async () => {
  const all: readonly Step<Known>[] = [
    insist('pos', ({ orderId }) => open(orderId)),
    insist('pos', ({ orderId }) => tender(orderId, CASH, 1_000)),
    insist('pos', ({ orderId }) => tender(orderId, card(), 1_598)),
    insist('fms', ({ fulfillmentOrderId: id, code }) => [`/fulfillment/orders/${id}/hand-over`, { code }]),
  ];
  const end = async (estate: CrashingEstate, { orderId }: Known): Promise<void> => {
    await estate.advance(HOUR);
    const { order, stockAt } = steps(estate);
    const { state, payments } = await order(orderId);
    expect([state, payments.map((one: { state: string; amount: { amount: number } }) => [one.state, one.amount.amount])]).toEqual([
      'completed',
      [
        ['captured', 1_000],
        ['captured', 1_598],
      ],
    ]);
    expect(await stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
  };
  expect(await eachCrash({ begin, steps: all, killed: [...KILLED, 'fms'], end })).toBeGreaterThan(10);
}, 180_000);

test('A till that sends each request once takes all or nothing in the end, whichever process dies', async () => {
  const all: readonly Step<Known>[] = [
    ask('pos', ({ orderId }) => open(orderId)),
    ask('pos', ({ orderId }) => tender(orderId, CASH, 1_000)),
    ask('pos', ({ orderId }) => tender(orderId, card(), 1_598)),
  ];
  const end = async (estate: CrashingEstate, { orderId }: Known): Promise<void> => {
    await estate.advance(2 * DAY);
    const { order } = steps(estate);
    const { state, payments } = await order(orderId);
    const taken = payments.filter((one: { state: string }) => one.state === 'captured');
    const left = payments.filter((one: { state: string }) => one.state === 'authorised');
    const sum = taken.reduce((total: number, one: { amount: { amount: number } }) => total + one.amount.amount, 0);
    expect([state, left, [0, 2_598]]).toEqual(['in-fulfilment', [], expect.arrayContaining([sum])]);
  };
  expect(await eachCrash({ begin, steps: all, killed: KILLED, end })).toBeGreaterThan(10);
}, 180_000);

test('A void returns its own tender, and the next till keeps the payment of the order, whichever process dies', async () => {
  const all: readonly Step<Known>[] = [
    insist('pos', ({ orderId }) => open(orderId)),
    insist('pos', ({ orderId }) => tender(orderId, CASH, 1_000)),
    insist('pos', ({ orderId }) => [`/transactions/${orderId}/void`, { reason: 'Lane closed' }]),
    insist('pos', ({ orderId }) => ['/transactions', { ...TILL, laneId: 'lane-2', orderId }]),
    insist('pos', ({ orderId }) => tender(orderId, card(), 2_598)),
  ];
  const end = async (estate: CrashingEstate, { orderId }: Known): Promise<void> => {
    await estate.advance(2 * DAY);
    const { order } = steps(estate);
    const { payments } = await order(orderId);
    expect(payments.map((one: { state: string }) => one.state)).toEqual(['voided', 'captured']);
  };
  expect(await eachCrash({ begin, steps: all, killed: KILLED, end })).toBeGreaterThan(10);
}, 180_000);

test('A cancelled order keeps no money of the till, whichever process dies', async () => {
  const all: readonly Step<Known>[] = [
    insist('pos', ({ orderId }) => open(orderId)),
    insist('pos', ({ orderId }) => tender(orderId, card(), 1_000)),
    insist('oms', ({ orderId }) => [`/orders/${orderId}/cancel`, {}]),
  ];
  const end = async (estate: CrashingEstate, { orderId }: Known): Promise<void> => {
    await estate.advance(HOUR);
    const { order, stockAt } = steps(estate);
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', payments: [{ state: 'voided' }] });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
  };
  expect(await eachCrash({ begin, steps: all, killed: [...KILLED, 'fms'], end })).toBeGreaterThan(10);
}, 180_000);

test('Of a cancellation and the last tender at the same time, no money is left, whichever process dies', async () => {
  const together: Step<Known> = async (estate, known) => {
    const [path, body] = tender(known.orderId, card(), 1_598);
    await Promise.all([
      estate.ask('pos', 'POST', path, body, 'last').catch(() => undefined),
      estate.insist('oms', 'POST', `/orders/${known.orderId}/cancel`, {}, 'cancel'),
    ]);
    return known;
  };
  const all = [insist('pos', ({ orderId }) => open(orderId)), insist('pos', ({ orderId }) => tender(orderId, CASH, 1_000)), together];
  const end = async (estate: CrashingEstate, { orderId }: Known): Promise<void> => {
    await estate.advance(DAY);
    const { order } = steps(estate);
    const { state, payments } = await order(orderId);
    const kept = payments.filter((one: { state: string }) => one.state === 'captured' || one.state === 'authorised');
    expect([state, kept]).toEqual(['cancelled', []]);
  };
  expect(await eachCrash({ begin, steps: all, killed: KILLED, races: true, end })).toBeGreaterThan(10);
}, 180_000);
