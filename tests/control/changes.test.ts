import { expect } from '@jest/globals';
import { loadFixtures } from '../../fixtures/load.ts';
import { MOST_PROMOTIONS } from '../../shared/catalog/limits.ts';
import { newRehearsal } from '../support/estate.ts';
import { card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

test('A change of a price shows at the next checkout, is one event, and leaves orders alone', async (rehearsal) => {
  const placed = await rehearsal.confirmed();
  const basket = await rehearsal.basket({ lines: [{ sku: 'mug-blue', qty: 2 }] });
  const changed = await rehearsal.control('change-product-by-hand', { params: { id: 'mug-blue' }, body: { price: { amount: 1000 } } });
  expect(changed).toMatchObject({ id: 'prd_mug-blue', price: eur(1000), name: 'Blue stoneware mug', state: 'active', version: 2 });
  const { body: checkedOut } = await rehearsal.checkOut(basket.id);
  expect(checkedOut).toMatchObject({ lines: [{ unitPrice: eur(1000) }], totals: { subtotal: eur(2000) } });
  expect((await rehearsal.order(placed.id)).totals).toEqual(placed.totals);
  const events = await rehearsal.events({ subject: 'product/prd_mug-blue', ext: true });
  expect(events).toMatchObject([{ type: 'com.unified-commerce.ext.product-changed', data: { object: { price: eur(1000) } } }]);
  const hops = await rehearsal.journal();
  expect(hops.some(({ api }) => api === 'change-product')).toBe(true);
});

test('A repeated change of a product changes nothing, and null removes a member', async (rehearsal) => {
  const change = (body: Record<string, unknown>) => rehearsal.control('change-product-by-hand', { params: { id: 'prd_mug-blue' }, body });
  expect((await change({ compareAtPrice: eur(1500) })).version).toBe(2);
  expect((await change({ compareAtPrice: eur(1500) })).version).toBe(2);
  expect(await change({ compareAtPrice: null, attributes: { colour: null } })).not.toHaveProperty('compareAtPrice');
  const { attributes, compareAtPrice } = await rehearsal.object('product', 'prd_mug-blue');
  expect([Object.keys(attributes), compareAtPrice]).toEqual([['material', 'capacityMl', 'dishwasherSafe'], undefined]);
  const cheese = { params: { id: 'cheddar-farmhouse' }, body: { labelReference: null } };
  expect(await rehearsal.control('change-product-by-hand', cheese)).not.toHaveProperty('labelReference');
});

test('A change counts the characters of a text as its schema does', async (rehearsal) => {
  const named = async (letters: number) =>
    (await rehearsal.call('change-product-by-hand', { params: { id: 'mug-blue' }, body: { name: '🍵'.repeat(letters) } })).status;
  expect([await named(10_000), await named(10_001)]).toEqual([200, 422]);
});

test('A promotion and a voucher are changed and created, and the next pricing applies them', async (rehearsal) => {
  const half = { ...WINDOW, name: 'Half', priority: 90, stackable: true, kind: 'percent-off', percent: 50, skus: ['mug-blue'] };
  const created = await rehearsal.control('change-promotion-by-hand', { params: { id: 'half' }, body: half });
  expect(created).toMatchObject({ id: 'half', percent: 50 });
  expect(Date.parse(String(created.activeFrom))).toBeLessThan(await rehearsal.now());
  const basket = await rehearsal.basket({ lines: [{ sku: 'mug-blue', qty: 2 }] });
  expect(basket.totals.discount).toEqual(eur(1299));
  await rehearsal.control('change-promotion-by-hand', { params: { id: 'half' }, body: { percent: 10 } });
  const { body: checkedOut } = await rehearsal.checkOut(basket.id);
  expect(checkedOut).toMatchObject({ totals: { discount: eur(260) } });
  const twice = { ...WINDOW, name: 'Twice', discount: { type: 'percent', percent: 10 }, enabled: true, usageLimit: 2, used: 2 };
  const voucher = (body: Record<string, unknown>) => rehearsal.control('change-voucher-by-hand', { params: { id: 'TWICE' }, body });
  await voucher(twice);
  const judged = async () =>
    (await rehearsal.api('validate-voucher-api', { params: { code: 'TWICE' }, body: { basketId: basket.id } })).valid;
  expect(await judged()).toBe(false);
  expect(await voucher({ used: 1 })).toMatchObject({ used: 1, usageLimit: 2 });
  expect(await judged()).toBe(true);
  await voucher({ usageLimit: null });
  await voucher({ used: 50 });
  expect(await judged()).toBe(true);
  await voucher({ usageLimit: 50 });
  expect(await judged()).toBe(false);
});

test('A change creates no promotion beyond the number that an evaluation reads', async () => {
  const rule = { ...WINDOW, name: 'Sale', stackable: true, kind: 'percent-off', percent: 1, skus: ['mug-blue'] };
  const row = (place: number) => ({ ...rule, id: `prm_own-${place}`, priority: 1_000 + place });
  const ours = (await loadFixtures()).at(0).promotions.length;
  const promotions = Array.from({ length: MOST_PROMOTIONS - ours - 1 }, (_, place) => row(place));
  await using rehearsal = await newRehearsal(undefined, { promotions });
  const change = ({ id, ...body }: ReturnType<typeof row>) => rehearsal.call('change-promotion-by-hand', { params: { id }, body });
  expect((await change(row(2_000))).status).toBe(200);
  expect(await change(row(2_001))).toMatchObject({ status: 422, body: { errors: [{ pointer: '{id}', code: 'too_big' }] } });
  expect((await change(row(2_000))).status).toBe(200);
});

test('A change keeps the uses of a voucher that a checkout or an order holds, so that a limited voucher is used once', async (rehearsal) => {
  const change = (body: Record<string, unknown>) => rehearsal.call('change-voucher-by-hand', { params: { id: 'ONE' }, body });
  await change({ ...WINDOW, name: 'One', discount: { type: 'percent', percent: 10 }, enabled: true, usageLimit: 1, used: 0 });
  const checkOut = async () => {
    const basket = await rehearsal.basket({ lines: [{ sku: 'mug-blue', qty: 1 }] });
    const { body } = await rehearsal.checkOut(basket.id, { voucherCodes: ['ONE'] });
    return { basketId: basket.id, status: body.vouchers[0]?.status };
  };
  const { basketId } = await checkOut();
  const refused = { pointer: '/used', code: 'uses_held', detail: expect.stringContaining('1 use of the voucher "ONE"') };
  expect(await change({ used: 0 })).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [refused] } });
  const { id } = await rehearsal.api('create-order-api', { body: { basketId } });
  expect(await change({ usageLimit: null, used: 0 })).toMatchObject({ status: 422, body: { errors: [refused] } });
  expect(await change({ usageLimit: 2, used: 2 })).toMatchObject({ status: 200, body: { used: 2 } });
  expect(await change({ usageLimit: 1, used: 1 })).toMatchObject({ status: 200, body: { used: 1 } });
  await rehearsal.api('cancel-order-api', { params: { id }, body: {} });
  await rehearsal.settle();
  expect(await change({ name: 'one' })).toMatchObject({ status: 200, body: { used: 0 } });
  expect([(await checkOut()).status, (await checkOut()).status]).toEqual(['applied', 'rejected']);
  await rehearsal.verify();
});

test('Another outcome or kind drops the members that only the former one has', async (rehearsal) => {
  const token = (body: Record<string, unknown>) => rehearsal.control('change-payment-token-by-hand', { params: { id: 'tok_visa' }, body });
  const declined = { token: 'tok_visa', outcome: 'decline', declineCode: 'insufficient_funds' };
  expect(
    await token({ outcome: 'approve', last4: '4242', refund: { outcome: 'fail', after: 'PT1H', failureReason: 'closed' } }),
  ).toMatchObject({
    last4: '4242',
  });
  expect(await token({ refund: { outcome: 'succeed' } })).toMatchObject({ last4: '4242', refund: { outcome: 'succeed', after: 'PT1H' } });
  expect(await token({ outcome: 'decline', declineCode: 'insufficient_funds' })).toEqual(declined);
  const unknown = await rehearsal.call('change-payment-token-by-hand', {
    params: { id: 'tok_visa' },
    body: { outcome: 'timeout', last4: '1' },
  });
  expect(unknown).toMatchObject({ status: 422, body: { errors: [{ pointer: '/last4', code: 'unknown_member' }] } });
  const price = { kind: 'amount-off', amount: eur(100) };
  const promotion = { ...WINDOW, name: 'Half', priority: 90, stackable: true, kind: 'percent-off', percent: 50, skus: ['mug-blue'] };
  await rehearsal.control('change-promotion-by-hand', { params: { id: 'half' }, body: promotion });
  const changed = await rehearsal.control('change-promotion-by-hand', { params: { id: 'half' }, body: price });
  expect(changed).toMatchObject({ ...price, name: 'Half', skus: ['mug-blue'] });
  expect(changed).not.toHaveProperty('percent');
});

test('A gift card, a token or an id with the name of the prototype is refused, and a world with similar names has a valid file', async (rehearsal) => {
  const id = '__proto__';
  const order = await rehearsal.draft();
  const pay = (token: string) =>
    rehearsal.call('authorize-payment-api', { body: { orderId: order.id, amount: eur(5), tender: { type: 'gift-card', token } } });
  const unusable = { status: 422, body: { errors: [{ detail: expect.stringContaining('No id, code or token can be __proto__.') }] } };
  expect(await rehearsal.call('change-gift-card-by-hand', { params: { id }, body: { balance: eur(100) } })).toMatchObject(unusable);
  expect(await rehearsal.call('change-payment-token-by-hand', { params: { id }, body: { outcome: 'approve' } })).toMatchObject(unusable);
  expect(await pay(id)).toMatchObject(unusable);
  for (const name of ['constructor', 'prototype', 'toString', '__proto__1']) {
    await rehearsal.control('change-gift-card-by-hand', { params: { id: name }, body: { balance: eur(100) } });
    expect((await pay(name)).status).toBe(201);
  }
  await rehearsal.settle();
  const file = await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } });
  const { status } = await rehearsal.call('upload-snapshot', {
    query: { name: 'similar-names', dryRun: 'true' } as never,
    body: file as never,
  });
  expect(status).toBe(200);
});

test('A change sets the balance of a gift card, before and after it pays, and the records of money agree', async (rehearsal) => {
  const set = (id: string, amount: number) =>
    rehearsal.control('change-gift-card-by-hand', { params: { id }, body: { balance: eur(amount) } });
  await set('gift_5', 10_000);
  await set('gift_mine', 1_000);
  const order = await rehearsal.draft();
  const pay = (token: string, amount: number) =>
    rehearsal.call('authorize-payment-api', { body: { orderId: order.id, amount: eur(amount), tender: { type: 'gift-card', token } } });
  expect((await pay('gift_mine', 1_000)).status).toBe(201);
  expect((await pay('gift_mine', 1)).status).toBe(402);
  expect((await pay('gift_5', 600)).status).toBe(201);
  await set('gift_mine', 300);
  await rehearsal.verify();
  expect((await pay('gift_mine', 301)).status).toBe(402);
  expect((await pay('gift_mine', 300)).status).toBe(201);
});

test('A change sets the outcome of a payment token', async (rehearsal) => {
  const body = { outcome: 'decline', declineCode: 'lost_card' };
  await rehearsal.control('change-payment-token-by-hand', { params: { id: 'tok_mine' }, body });
  const order = await rehearsal.draft();
  const pay = () => rehearsal.call('authorize-payment-api', { body: { orderId: order.id, tender: card('tok_mine') } });
  expect(await pay()).toMatchObject({ status: 402, body: { declineCode: 'lost_card' } });
  await rehearsal.control('change-payment-token-by-hand', { params: { id: 'tok_mine' }, body: { outcome: 'approve', declineCode: null } });
  expect((await pay()).status).toBe(201);
});

test('A customer is changed with one event, and keeps unique contact data', async (rehearsal) => {
  const change = (id: string, body: Record<string, unknown>) => rehearsal.call('change-customer-by-hand', { params: { id }, body });
  const changed = await change('cus_ben', { firstName: 'Benno', email: 'benno@people.example', consents: { profiling: true } });
  expect(changed).toMatchObject({
    status: 200,
    body: { firstName: 'Benno', email: 'benno@people.example', state: 'registered', version: 2 },
  });
  expect(await change('cus_ben', { firstName: 'Benno' })).toMatchObject({ status: 200, body: { version: 2 } });
  const { items } = await rehearsal.api('search-customer-api', { query: { email: 'benno@people.example' } });
  expect(items).toMatchObject([{ id: 'cus_ben' }]);
  const events = await rehearsal.events({ subject: 'customer/cus_ben', ext: true });
  expect(events).toMatchObject([{ type: 'com.unified-commerce.ext.customer-changed', data: { object: { firstName: 'Benno' } } }]);
  const refused = await change('cus_ben', { email: 'ada@people.example' });
  expect(refused).toMatchObject({ status: 409, body: { code: 'duplicate_customer', existingCustomerId: 'cus_ada', matchedOn: ['email'] } });
  expect(await change('nobody', { firstName: 'X' })).toMatchObject({ status: 404 });
});

type Changed = 'product' | 'promotion' | 'voucher' | 'gift-card' | 'payment-token' | 'customer';
const WINDOW = { activeFrom: '-P1D', activeTo: 'P1D' };
const SALE = { ...WINDOW, name: 'W', priority: 80, stackable: true, kind: 'percent-off', percent: 5, skus: ['mug-blue'] };
const OF_ONE_PERCENT = { ...WINDOW, name: 'N', discount: { type: 'percent', percent: 1 }, enabled: true, used: 0 };
test.each<readonly [type: Changed, id: string, body: object, pointer: string, code: string]>([
  ['product', 'mug-blue', { price: { amount: 0 } }, '/price/amount', 'does_not_fit'],
  ['product', 'mug-blue', { price: { amount: 'x' } }, '/price/amount', 'invalid_type'],
  ['product', 'mug-blue', { price: null }, '/price', 'required'],
  ['product', 'mug-blue', { price: eur(1.5) }, '/price/amount', 'invalid_type'],
  ['product', 'mug-blue', { price: { currency: 'USD' } }, '/price/currency', 'unsupported_currency'],
  ['product', 'mug-blue', { gtin: '9521001000070' }, '/gtin', 'does_not_fit'],
  ['product', 'mug-blue', { gtin: '9521001000147' }, '/gtin', 'gtin_of_another'],
  ['product', 'mug-blue', { gtin: '2104321005992' }, '/gtin', 'gtin_is_label'],
  ['product', 'mug-blue', { labelReference: '04321' }, '/labelReference', 'label_of_another'],
  ['product', 'mug-blue', { name: ' ' }, '/name', 'does_not_fit'],
  ['product', 'mug-blue', { name: 'x'.repeat(10_001) }, '/name', 'too_big'],
  ['product', 'mug-blue', { compareAtPrice: eur(1) }, '/compareAtPrice', 'does_not_fit'],
  ['product', 'mug-blue', { state: 'archived' }, '/state', 'unknown_member'],
  ['product', 'mug-blue', { sku: 'mug' }, '/sku', 'unknown_member'],
  ['product', 'mug-blue', { colour: 'red' }, '/colour', 'unknown_member'],
  ['product', 'mug-blue', { media: [{ type: 'sound', url: 'x' }] }, '/media/0/type', 'invalid_value'],
  ['promotion', 'woolly', { kind: 'percent-off' }, '/name', 'does_not_fit'],
  ['promotion', 'woolly', { ...SALE, priority: 1 }, '/priority', 'priority_of_another'],
  ['promotion', 'woolly', { ...SALE, skus: ['gone'] }, '/skus/0', 'unknown_sku'],
  ['promotion', 'woolly', { kind: 'all-free' }, '/kind', 'does_not_fit'],
  ['voucher', 'WELCOME10', { activeTo: '-P300D' }, '/activeTo', 'does_not_fit'],
  ['voucher', 'WELCOME10', { activeTo: 'P1M' }, '/activeTo', 'invalid_format'],
  ['voucher', 'USEDUP', { used: 101 }, '/used', 'does_not_fit'],
  ['voucher', 'WELCOME10', { code: 'X' }, '/code', 'unknown_member'],
  ['voucher', 'no_code', OF_ONE_PERCENT, '{id}', 'does_not_fit'],
  ['gift-card', 'gift_5', { balance: { amount: -1 } }, '/balance/amount', 'does_not_fit'],
  ['gift-card', 'gift_5', { balance: { amount: 1e15 } }, '/balance/amount', 'does_not_fit'],
  ['gift-card', 'gift_new', {}, '/balance', 'does_not_fit'],
  ['payment-token', 'tok_visa', { last4: '12' }, '/last4', 'invalid_format'],
  ['payment-token', 'tok_visa', { outcome: 'decline' }, '/declineCode', 'required'],
  ['customer', 'cus_ben', { state: 'blocked' }, '/state', 'unknown_member'],
  ['customer', 'cus_ben', { email: 'nobody' }, '/email', 'invalid_format'],
  ['customer', 'cus_ben', { firstName: null }, '/state', 'does_not_fit'],
  ['customer', 'cus_ben', { addresses: 'here' }, '/addresses', 'invalid_type'],
])('A change of the %s %s with a mistake is refused: %j', async (rehearsal, type, id, body, pointer, code) => {
  const errors = expect.arrayContaining([expect.objectContaining({ pointer, code })]);
  const refused = await rehearsal.call(`change-${type}-by-hand`, { params: { id }, body: body as Record<string, unknown> });
  expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', errors } });
  expect(await rehearsal.events({ ext: true })).toEqual([]);
});
