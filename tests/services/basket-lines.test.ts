import { describe, expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { CASH, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

/** GTIN-13 of mug-blue, and the same as GTIN-14. */
const [GTIN, GTIN_14] = ['9521001000079', '09521001000079'];

const change = (rehearsal: TestRehearsal, id: string, lineId: string, qty: number) =>
  rehearsal.call('change-basket-line-api', { params: { id, lineId }, body: { qty } });
const remove = (rehearsal: TestRehearsal, id: string, lineId: string) =>
  rehearsal.call('remove-basket-line-api', { params: { id, lineId } });

describe('Lines of an open basket', () => {
  test('A client changes and removes lines, and each answer is what Get Basket returns', async (rehearsal) => {
    const { id, lines } = await rehearsal.basket({
      lines: [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'bowl-large', qty: 1 },
      ],
    });
    const [mugs, bowl] = lines.map(({ lineId }) => lineId) as [string, string];
    const changed = await change(rehearsal, id, mugs, 3);
    expect(changed).toMatchObject({ status: 200, body: { lines: [{ lineId: mugs, qty: 3, lineTotal: eur(3_897) }, { qty: 1 }] } });
    const removed = await remove(rehearsal, id, bowl);
    expect(removed).toMatchObject({ status: 200, body: { lines: [{ lineId: mugs }], totals: { total: eur(3_897) }, version: 3 } });
    expect(await rehearsal.api('get-basket-api', { params: { id } })).toEqual(removed.body);
    // The number of a removed line in the middle is not given again.
    const added = await rehearsal.addLine(id, { sku: 'espresso-cup', qty: 1 });
    expect(added.body).toMatchObject({ lines: [{ lineId: mugs }, { lineId: `${id}-2` }] });
    expect(await remove(rehearsal, id, mugs)).toMatchObject({ status: 200 });
    const again = await rehearsal.addLine(id, { sku: 'mug-blue', qty: 1 });
    expect(again.body).toMatchObject({
      lines: [
        { sku: 'espresso-cup', lineId: `${id}-2` },
        { sku: 'mug-blue', lineId: `${id}-3` },
      ],
    });
  });

  test('A basket without lines can be neither checked out nor ordered, and takes lines again', async (rehearsal) => {
    const { id, lines } = await rehearsal.basket();
    await remove(rehearsal, id, lines[0]?.lineId ?? '');
    expect(await rehearsal.api('get-basket-api', { params: { id } })).toMatchObject({ lines: [], totals: { total: eur(0) } });
    for (const refused of [await rehearsal.checkOut(id), await rehearsal.call('create-order-api', { body: { basketId: id } })])
      expect(refused).toMatchObject({ status: 409, body: { code: 'basket_empty', objectType: 'basket', id } });
    expect(await rehearsal.addLine(id, { sku: 'mug-blue', qty: 1 })).toMatchObject({ status: 201 });
  });

  test('Change and Remove Basket Line refuse unknown lines and too many units', async (rehearsal) => {
    const { id, lines } = await rehearsal.basket();
    const { lineId = '' } = lines[0] ?? {};
    const none = { status: 404, body: { code: 'not_found' } };
    expect(await change(rehearsal, id, 'nope', 1)).toMatchObject(none);
    expect(await remove(rehearsal, id, 'nope')).toMatchObject(none);
    expect(await change(rehearsal, id, lineId, 0)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/qty' }] } });
    expect(await change(rehearsal, id, lineId, 9_999)).toMatchObject({ status: 409, body: { code: 'insufficient_stock' } });
  });
});

describe('Lines by barcode', () => {
  test('A basket takes a barcode in place of a SKU, in every length, on the same line', async (rehearsal) => {
    const lines = [
      { sku: 'mug-blue', qty: 1 },
      { gtin: GTIN, qty: 1 },
    ];
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines } });
    const added = await rehearsal.api('add-line-to-basket-api', { params: { id: basket.id }, body: { gtin: GTIN_14, qty: 1 } });
    expect(added.lines).toMatchObject([{ sku: 'mug-blue', qty: 3 }]);
  });

  test('A till takes a barcode in place of a SKU', async (rehearsal) => {
    const lines = [
      { gtin: GTIN, qty: 1 },
      { sku: 'mug-blue', qty: 1 },
    ];
    const sale = await rehearsal.api('create-transaction-api', { body: { storeId: 'store-01', laneId: 'till-1', lines } });
    expect(sale.lines).toMatchObject([{ sku: 'mug-blue', qty: 2 }]);
  });

  test.each([
    [{ gtin: '9521001000078', qty: 1 }, 422, '/lines/0/gtin'],
    [{ gtin: '12345', qty: 1 }, 422, '/lines/0/gtin'],
    [{ gtin: GTIN, sku: 'mug-blue', qty: 1 }, 422, '/lines/0'],
    [{ qty: 1 }, 422, '/lines/0'],
  ] as const)('The line %j is refused at its place, in a basket and at the till', async (rehearsal, line, status, pointer) => {
    const refused = { status, body: { errors: [{ pointer }] } };
    const sale = { storeId: 'store-01', laneId: 'till-1', lines: [line] };
    expect(await rehearsal.call('create-basket-api', { body: { channel: 'web', lines: [line] } })).toMatchObject(refused);
    expect(await rehearsal.call('create-transaction-api', { body: sale })).toMatchObject(refused);
  });
});

describe('Price-embedded labels', () => {
  const LABEL = { gtin: '2104321005992', qty: 1 };
  const OTHER_LABEL = { gtin: '2104321007996', qty: 1 };
  const UPC_LABEL = { gtin: '204321005991', qty: 1 };
  const sell = (rehearsal: TestRehearsal, lines: readonly object[]) =>
    rehearsal.call('POST', '/transactions', { storeId: 'store-01', laneId: 'till-1', lines });

  test('A till sells each label as a line at its price, and takes the pieces out of the stock', async (rehearsal) => {
    const { onHand } = await rehearsal.stockAt('cheddar-farmhouse');
    const plain = { sku: 'cheddar-farmhouse', qty: 2 };
    const { status, body } = await sell(rehearsal, [LABEL, plain, OTHER_LABEL, UPC_LABEL, { ...plain, qty: 1 }, LABEL]);
    expect(status).toBe(201);
    const prices = [599, 599, 799, 599, 599].map((amount) => ({ sku: 'cheddar-farmhouse', unitPrice: { amount } }));
    expect(body.lines).toMatchObject(prices);
    expect(body.lines.map(({ qty }: { qty: number }) => qty)).toEqual([1, 3, 1, 1, 1]);
    expect(body.totals.total.amount).toBe(599 * 6 + 799);
    expect(await rehearsal.reserved('cheddar-farmhouse')).toBe(7);
    const { body: paid } = await rehearsal.pay(body.id, CASH, 5000);
    expect(paid.receipt.lines).toMatchObject(prices);
    expect(await rehearsal.stockAt('cheddar-farmhouse')).toMatchObject({ onHand: onHand - 7, reserved: 0 });
  });

  test('Labels of more pieces than the store has are sold, and the order has a discrepancy of stock', async (rehearsal) => {
    const { body } = await sell(
      rehearsal,
      Array.from({ length: 30 }, () => LABEL),
    );
    // The store has 24 pieces. Two are safety stock.
    expect(await rehearsal.reserved('cheddar-farmhouse')).toBe(22);
    await rehearsal.pay(body.id, CASH, 30 * 599);
    expect(await rehearsal.order(body.id)).toMatchObject({ state: 'completed', stockDiscrepancy: true });
  });

  test.each([
    [{ ...LABEL, qty: 2 }, 422, '/lines/0/qty', 'label_qty_not_one'],
    [{ gtin: '2104321000003', qty: 1 }, 422, '/lines/0/gtin', 'no_price'],
    [{ gtin: '2104321005993', qty: 1 }, 422, '/lines/0/gtin', 'check_digit'],
  ] as const)('The label %j is refused at the till: %i %s %s', async (rehearsal, line, status, pointer, code) => {
    expect(await sell(rehearsal, [line])).toMatchObject({ status, body: { errors: [{ pointer, code }] } });
  });

  test('A label that names no product is not found', async (rehearsal) => {
    expect(await sell(rehearsal, [{ gtin: '2101234004999', qty: 1 }])).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('A basket refuses a label, and the error names the SKU to add', async (rehearsal) => {
    const { id } = await rehearsal.basket();
    const refused = (pointer: string) => ({
      status: 422,
      body: { errors: [{ pointer, code: 'price_embedded', detail: expect.stringContaining('sku cheddar-farmhouse') }] },
    });
    expect(await rehearsal.call('create-basket-api', { body: { channel: 'web', lines: [LABEL] } })).toMatchObject(refused('/lines/0/gtin'));
    expect(await rehearsal.call('add-line-to-basket-api', { params: { id }, body: LABEL })).toMatchObject(refused('/gtin'));
  });

  test('List Products finds the product that a label names', async (rehearsal) => {
    const { items } = await rehearsal.api('list-products-api', { query: { gtin: LABEL.gtin } });
    expect(items).toMatchObject([{ sku: 'cheddar-farmhouse', labelReference: '04321' }]);
  });
});
