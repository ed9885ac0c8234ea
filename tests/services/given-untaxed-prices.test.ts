import { describe, expect } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { givenWithoutTax } from '../support/steps/given.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);
/** The retailer of the estate adds tax by its own rates. */
const testOfUntaxed = testIn(() =>
  newRehearsal(
    { warehouse: 'manual', carrier: 'manual', returns: 'manual' },
    { retailer: { taxIncluded: false, taxRates: [{ country: 'IE', rate: 23 }] } },
  ),
);

type Rehearsal = Awaited<ReturnType<typeof byHand>>;

const create = ({ call }: Rehearsal, body: object) => call('create-order-api', { body: body as never });

/** A confirmed order of three mugs and two cups, whose prices are without tax. */
async function confirmed(rehearsal: Rehearsal) {
  const { id } = await rehearsal.api('create-order-api', { body: givenWithoutTax('#1') });
  await rehearsal.authorisation(id);
  return rehearsal.api('confirm-order-api', { params: { id } });
}

describe('An order with given prices without tax', () => {
  for (const [where, inWorld] of [
    ['a retailer of prices with tax', test],
    ['a retailer of prices without tax', testOfUntaxed],
  ] as const) {
    inWorld(`keeps the given taxes at ${where}`, async (rehearsal) => {
      const { status, body } = await create(rehearsal, givenWithoutTax('#1'));
      expect([status, body.totals]).toEqual([
        201,
        {
          subtotal: eur(4_554),
          discount: eur(201),
          shipping: eur(333),
          tax: eur(706),
          shippingTax: eur(63),
          taxIncluded: false,
          taxes: [
            { rate: 19, taxable: eur(3_167), tax: eur(600) },
            { rate: 7, taxable: eur(1_519), tax: eur(106) },
          ],
          total: eur(5_392),
        },
      ]);
      expect(body.lines).toMatchObject([
        { unitPrice: eur(1_000), discount: eur(166), taxRate: 19, tax: eur(537), lineTotal: eur(3_371) },
        { unitPrice: eur(777), discount: eur(35), taxRate: 7, tax: eur(106), lineTotal: eur(1_625) },
      ]);
    });
  }

  test('is returned unit by unit with its share of price and tax, to the last cent', async (rehearsal) => {
    const order = await confirmed(rehearsal);
    const { lines } = await rehearsal.completedOrder(order.id);
    const returned: number[][] = [];
    for (let unit = 0; unit < 3; unit++) {
      const body = {
        orderId: order.id,
        lines: [{ orderLineId: lines[0]?.lineId ?? '', qty: 1, reason: 'too small' }],
        locationId: 'store-01',
      };
      const { refundAmount, refundTax } = await rehearsal.api('create-return-api', { body });
      returned.push([refundAmount.amount, refundTax?.amount ?? 0]);
    }
    // Floors of 33.71 · n / 3 and of 5.37 · n / 3.
    expect(returned).toEqual([
      [1_123, 179],
      [1_124, 179],
      [1_124, 179],
    ]);
  });

  test('loses a unit by Change Order, and the rates keep what is left of them', async (rehearsal) => {
    const order = await confirmed(rehearsal);
    const body = { lines: [{ lineId: order.lines[1]?.lineId ?? '', qty: 1 }] };
    const changed = await rehearsal.api('change-order-api', { params: { id: order.id }, body });
    // 16.25 − floor(16.25 / 2) = 8.13. Its tax is 1.06 − floor(1.06 / 2) = 0.53.
    expect(changed.lines[1]).toMatchObject({ qty: 1, tax: eur(53), lineTotal: eur(813), discount: eur(17) });
    expect(changed.totals).toMatchObject({
      tax: eur(653),
      total: eur(4_580),
      taxes: [
        { rate: 19, taxable: eur(3_167), tax: eur(600) },
        { rate: 7, taxable: eur(760), tax: eur(53) },
      ],
    });
    expect(changed.payments[0]?.authorizedAmount).toEqual(eur(4_580));
  });

  testOfUntaxed('gets an address in another country with the same taxes, even while it is picked', async (rehearsal) => {
    const order = await confirmed(rehearsal);
    const [first] = await rehearsal.routed(order.id);
    await rehearsal.picked(first?.id ?? '', 'started');
    const body = { shippingAddress: { ...ADDRESS, country: 'FR' } };
    const changed = await rehearsal.api('change-order-api', { params: { id: order.id }, body });
    expect(changed.totals).toEqual(order.totals);
  });

  test('gives back the lines of a short pick, and then everything, to the last cent', async (rehearsal) => {
    const order = await confirmed(rehearsal);
    for (const locationId of ['dc-02', 'store-01', 'store-02', 'store-03'])
      await rehearsal.control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId }, body: { onHand: 0 } });
    const [first] = await rehearsal.routed(order.id);
    const picking = await rehearsal.short(order, first?.id ?? '', 1);
    // floor(33.71 · 2 / 3) = 22.47
    expect((await rehearsal.order(order.id)).payments).toMatchObject([{ refundedAmount: eur(2_247) }]);
    await rehearsal.movePicking(picking.id, 'packed');
    await rehearsal.delivered(await rehearsal.handedOver(first?.id ?? ''));
    const completed = await rehearsal.order(order.id);
    expect(completed).toMatchObject({ state: 'completed', earningAmount: eur(2_749) });
    await rehearsal.inspected(completed, 1);
    expect((await rehearsal.order(order.id)).payments).toMatchObject([{ refundedAmount: eur(3_371) }]);
  });

  const [MUGS, CUPS] = givenWithoutTax('').lines as [object, object];
  test.each([
    ['no taxes', { taxes: undefined }, '/taxes', 'tax_needed'],
    ['taxes of prices that include them', { taxIncluded: undefined }, '/taxes', 'unexpected'],
    ['no rate of a line', { lines: [{ ...MUGS, taxRate: undefined }, CUPS] }, '/lines/0/taxRate', 'tax_needed'],
    ['no tax of a line', { lines: [{ ...MUGS, tax: undefined }, CUPS] }, '/lines/0/tax', 'tax_needed'],
    ['a rate that is not listed', { lines: [{ ...MUGS, taxRate: 20 }, CUPS] }, '/lines/0/taxRate', 'unlisted'],
    ['a rate of prices that include tax', { taxIncluded: undefined, taxes: undefined }, '/lines/0/taxRate', 'unexpected'],
    ['a total without the tax', { total: eur(4_686) }, '/total/amount', 'not_the_sum'],
    ['a rate that is listed twice', { taxes: [19, 7, 7].map((rate) => row(rate, 1_519, 106)) }, '/taxes/0/taxable/amount', 'not_the_sum'],
    ['too little to tax', { taxes: [row(19, 3_166, 600), row(7, 1_519, 106)] }, '/taxes', 'not_the_sum'],
    ['another tax by rate', { taxes: [row(19, 3_167, 601), row(7, 1_519, 106)] }, '/taxes', 'not_the_sum'],
    ['a repeated rate', { taxes: [row(19, 3_167, 600), row(7, 1_519, 106), row(7, 0, 0)] }, '/taxes/2/rate', 'repeated'],
    ['a rate above 100 %', { taxes: [row(101, 3_167, 600)] }, '/taxes/0/rate', 'too_big'],
    ['a negative tax', { lines: [{ ...MUGS, tax: eur(-1) }, CUPS] }, '/lines/0/tax/amount', 'too_small'],
  ])('is refused with %s', async (rehearsal, _what, members, pointer, code) => {
    const { status, body } = await create(rehearsal, { ...givenWithoutTax('#1'), ...members });
    expect([status, body.errors?.map((error: { pointer: string; code: string }) => [error.pointer, error.code])]).toEqual([
      422,
      expect.arrayContaining([[pointer, code]]),
    ]);
  });
});

function row(rate: number, taxable: number, tax: number) {
  return { rate, taxable: eur(taxable), tax: eur(tax) };
}
