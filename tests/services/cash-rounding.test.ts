import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { payingAtCounter } from '../support/steps/pay-at-counter.ts';
import { CASH, card } from '../support/steps/tender.ts';

const chf = (amount: number) => ({ amount, currency: 'CHF' });

/** A Swiss retailer, whose smallest coin is 0.05 CHF. A mug costs `price`. */
const swiss = (price = 1_297, figures: object = {}) =>
  newRehearsal(
    { warehouse: 'manual', returns: 'manual' },
    { retailer: { currency: 'CHF', cashRounding: 5, ...figures }, products: [{ sku: 'mug-blue', price: { amount: price } }] },
  );
type Swiss = Awaited<ReturnType<typeof swiss>>;

const oneMug = { lines: [{ sku: 'mug-blue', qty: 1 }] };
const paid = (rehearsal: Swiss, id: string, tender: Record<string, unknown>, amount: number) =>
  rehearsal.call('add-payment-api', { params: { id }, body: { tender, amount: chf(amount) } });

/** A sale of one mug that is paid in cash of `handed`. */
async function soldFor(rehearsal: Swiss, handed: number) {
  const sale = await rehearsal.sale(oneMug);
  const { status, body } = await paid(rehearsal, sale.id, CASH, handed);
  return { status, body, sale };
}

const cashOf = ({ amount, tendered, change, rounding }: Record<string, { readonly amount: number } | undefined>) =>
  [amount, tendered, change, rounding].map((one) => one?.amount);

describe('A retailer with cashRounding', () => {
  test.each([
    [1_297, 2_000, [1_297, 2_000, 705, -2]],
    [1_298, 2_000, [1_298, 2_000, 700, 2]],
    [1_295, 2_000, [1_295, 2_000, 705, undefined]],
    [1_297, 1_295, [1_297, 1_295, 0, -2]],
    [1_298, 1_300, [1_298, 1_300, 0, 2]],
  ])('takes a sale of %i in cash of %i in coins of 5', async (price, handed, expected) => {
    await using rehearsal = await swiss(price);
    const { body } = await soldFor(rehearsal, handed);
    expect(cashOf(body)).toEqual(expected);
    expect([body.transactionState, body.outstanding]).toEqual(['completed', chf(0)]);
    expect(body.receipt.rounding?.amount).toBe(expected[3]);
    expect(cashOf(body.receipt.tenders[0])).toEqual(expected);
    await rehearsal.verify();
  });

  test('takes cash of exactly what is outstanding as the rounded amount', async () => {
    await using rehearsal = await swiss();
    expect(cashOf((await soldFor(rehearsal, 1_297)).body)).toEqual([1_297, 1_295, 0, -2]);
    await rehearsal.verify();
  });

  test.each([
    [5, 1_293, 1_295],
    [10, 1_295, 1_300],
    [10, 1_294, 1_290],
    [100, 1_250, 1_300],
    [2, 1_297, 1_298],
  ])('rounds half of its coin of %i away from zero: %i to %i', async (cashRounding, price, due) => {
    await using rehearsal = await swiss(price, { cashRounding });
    const { outstandingInCash, id } = await rehearsal.sale(oneMug);
    expect(outstandingInCash).toEqual(chf(due));
    const { body } = await paid(rehearsal, id, CASH, 2_000);
    expect([body.change, body.rounding]).toEqual([chf(2_000 - due), chf(due - price)]);
    await rehearsal.verify();
  });

  test('rounds only the cash that closes a sale, and shows before what is due in cash', async () => {
    await using rehearsal = await swiss();
    const { id, outstandingInCash } = await rehearsal.sale(oneMug);
    expect(outstandingInCash).toEqual(chf(1_295));
    const part = (await paid(rehearsal, id, CASH, 500)).body;
    expect([cashOf(part), part.outstanding, part.outstandingInCash]).toEqual([[500, 500, 0, undefined], chf(797), chf(795)]);
    const { body } = await paid(rehearsal, id, card(), 797);
    expect([body.rounding, body.receipt.rounding, body.outstandingInCash]).toEqual([undefined, undefined, undefined]);
    const other = await rehearsal.sale(oneMug);
    await paid(rehearsal, other.id, card(), 500);
    const rest = (await paid(rehearsal, other.id, CASH, 1_000)).body;
    expect([cashOf(rest), rest.receipt.rounding]).toEqual([[797, 1_000, 205, -2], chf(-2)]);
    await rehearsal.verify();
  });

  test('refuses cash that its coins cannot make, with what is due', async () => {
    await using rehearsal = await swiss();
    const { status, body, sale } = await soldFor(rehearsal, 1_001);
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          pointer: '/amount/amount',
          code: 'not_in_coins',
          detail: 'Cash comes in multiples of 0.05 CHF, and 10.01 CHF is none. 12.95 CHF are due in cash.',
        },
      ],
    ]);
    expect((await paid(rehearsal, sale.id, CASH, 1_295)).body.transactionState).toBe('completed');
    await rehearsal.verify();
  });

  test('gives back all cash for a rest below half a coin', async () => {
    await using rehearsal = await swiss();
    const { id } = await rehearsal.sale(oneMug);
    const { body } = await paid(rehearsal, id, card(), 1_295);
    expect([body.outstanding, body.outstandingInCash]).toEqual([chf(2), chf(0)]);
    expect(cashOf((await paid(rehearsal, id, CASH, 5)).body)).toEqual([2, 5, 5, -2]);
    await rehearsal.verify();
  });

  test('refunds cash in coins: parts to the nearest coin, and all parts together what was paid', async () => {
    await using rehearsal = await swiss();
    const { body } = await soldFor(rehearsal, 1_300);
    const refunded = async (amount: number) => {
      const { refunds } = await rehearsal.api('refund-payment-api', { params: { id: body.id }, body: { amount: chf(amount) } });
      return (refunds ?? []).map((one) => [one.amount.amount, one.rounding?.amount]);
    };
    expect(await refunded(648)).toEqual([[648, 2]]);
    expect(await refunded(649)).toEqual([
      [648, 2],
      [649, -4],
    ]);
    await rehearsal.verify();
    const { entries } = await rehearsal.control('read-books');
    expect(entries.filter(({ entry }) => entry === 'cash rounding')).toEqual([]);
  });

  test('keeps cash rounding as an entry of its books', async () => {
    await using rehearsal = await swiss();
    await soldFor(rehearsal, 1_300);
    await soldFor(rehearsal, 1_300);
    const { entries } = await rehearsal.control('read-books');
    expect(entries.find(({ entry }) => entry === 'cash rounding')).toMatchObject({ book: 'money', value: -4 });
  });

  test('rounds cash that a till takes for an order at the counter', async () => {
    await using rehearsal = await payingAtCounter({}, { currency: 'CHF', cashRounding: 5 });
    const { orderId } = await rehearsal.unpaidAtCounter();
    const opened = await rehearsal.api('create-transaction-api', { body: { storeId: 'store-01', laneId: 'lane-1', orderId } });
    const { amount = 0 } = opened.outstandingInCash ?? {};
    expect(amount % 5).toBe(0);
    const { body } = await paid(rehearsal, orderId, CASH, amount);
    expect([body.transactionState, body.rounding]).toEqual(['completed', chf(amount - (opened.outstanding?.amount ?? 0))]);
    await rehearsal.verify();
  });
});

test('A retailer without cashRounding takes cash to the last minor unit, and its answers have no rounding', async () => {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  const { id, outstandingInCash } = await rehearsal.sale();
  const { body } = await rehearsal.pay(id, CASH, 2_599);
  expect([outstandingInCash, body.rounding, body.outstandingInCash, body.change.amount]).toEqual([undefined, undefined, undefined, 1]);
  expect(body.receipt.rounding).toBeUndefined();
});
