import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { isSwappable, type SwappableApplication } from '../../shared/catalog/swap.ts';
import { NAMED_BY_SEGMENT } from '../../shared/elsewhere/swap/other-object.ts';
import { violationNames } from '../../shared/elsewhere/swap/read-answer.ts';
import { eventually, newRehearsal } from '../support/estate.ts';
import { type Misbehave, startPaymentHub } from '../support/real-payment-hub.ts';
import { card } from '../support/steps/tender.ts';

const eur = (amount: number, currency = 'EUR') => ({ amount, currency });
const SECRET = 'hub-secret-4f7a91c2';
const swappedTo = ({ url }: { readonly url: string }, more: object = {}) =>
  newRehearsal(undefined, undefined, { 'payment-hub': { url, headers: { Authorization: `Bearer ${SECRET}` }, ...more } });
type Swapped = Awaited<ReturnType<typeof swappedTo>>;

const TOTAL = 3088;
const authorise = (rehearsal: Swapped, more: object = {}) =>
  rehearsal.call('authorize-payment-api', { body: { orderId: 'ord_1', tender: card(), amount: eur(TOTAL), ...more } });
const id = 'pay_real1';
const captured = (amount: number) => ({ state: 'captured', capturedAmount: eur(amount) });
const refunded = (amount: number, refunds: readonly number[], state = 'partially-refunded') => ({
  ...captured(TOTAL),
  state,
  refundedAmount: eur(amount),
  refunds: refunds.map((one) => ({ amount: eur(one), state: 'succeeded' })),
});

type Body = Readonly<Record<string, unknown>>;
const ofBen = (account: unknown): Body => ({ ...(account as Body), id: 'loy_ben', customerId: 'cus_ben', cardNumber: '2990000123460' });

/** Has the honest effect, and answers with a lie about it. */
const lying =
  (lie: object): Misbehave =>
  (_request, honest) => {
    const { status, body } = honest();
    return { status, body: { ...(body as object), ...lie } };
  };
/** Has no effect. */
const idle: Misbehave = ({ payment, path }) => ({ status: path.endsWith('refunds') ? 201 : 200, body: payment });

const steps = {
  authorise: authorise,
  capture: (rehearsal: Swapped, body: object = {}) => rehearsal.call('capture-payment-api', { params: { id }, body }),
  void: (rehearsal: Swapped) => rehearsal.call('void-payment-api', { params: { id } }),
  refund: (rehearsal: Swapped, body: object = { amount: eur(500) }) => rehearsal.call('refund-payment-api', { params: { id }, body }),
};
type Step = keyof typeof steps;

test.each<[lie: string, step: Step, body: object | undefined, misbehave: Misbehave, violation: string, before?: readonly Step[]]>([
  ['of another order', 'authorise', undefined, lying({ orderId: 'ord_2' }), 'other_object'],
  ['of another tender', 'authorise', undefined, lying({ tender: { type: 'gift-card' } }), 'other_object'],
  ['of a higher amount', 'authorise', undefined, lying({ amount: eur(500_000), authorizedAmount: eur(500_000) }), 'money'],
  ['of a part that was not accepted', 'authorise', undefined, lying({ authorizedAmount: eur(100) }), 'money'],
  ['that is approved without a code', 'authorise', undefined, lying({ authorizationCode: undefined }), 'wrong_shape'],
  ['that is captured without a code', 'capture', undefined, lying({ authorizationCode: undefined }), 'wrong_shape'],
  ['of nothing', 'authorise', { acceptPartial: true }, lying({ authorizedAmount: eur(0) }), 'money'],
  ['that is authorised and captured', 'authorise', undefined, lying({ capturedAmount: eur(TOTAL) }), 'money'],
  ['captured too little', 'capture', undefined, lying(captured(1)), 'money'],
  ['captured more than asked', 'capture', { amount: eur(1000) }, lying(captured(TOTAL)), 'money'],
  ['captured without an amount', 'capture', undefined, lying(captured(0)), 'money'],
  ['whose amounts grow', 'capture', undefined, lying({ ...captured(9000), amount: eur(9000), authorizedAmount: eur(9000) }), 'money'],
  ['that is still authorised', 'capture', undefined, idle, 'no_effect'],
  ['that has a lower version and no effect', 'capture', undefined, lying({ version: 1 }), 'no_effect'],
  ['that is not voided', 'void', undefined, idle, 'no_effect'],
  ['whose refunds add up to another sum', 'refund', undefined, lying(refunded(500, [400])), 'money', ['capture']],
  ['that refunded nothing', 'refund', undefined, idle, 'money', ['capture']],
  ['that refunded all', 'refund', undefined, lying(refunded(TOTAL, [TOTAL], 'fully-refunded')), 'money', ['capture']],
  ['refunded in part with all of it', 'refund', undefined, lying(refunded(TOTAL, [500, TOTAL - 500])), 'money', ['capture']],
  ['without its second refund', 'refund', undefined, idle, 'no_effect', ['capture', 'refund']],
])('An answer with a payment %s is refused by name, and nothing is kept', async (_lie, step, body, misbehave, violation, before = []) => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  if (step !== 'authorise') expect((await authorise(rehearsal)).status).toBe(201);
  for (const one of before) expect((await steps[one](rehearsal)).status).toBeLessThan(300);
  const known = await rehearsal.call('read-object', { params: { type: 'payment', id } });
  hub.behave(misbehave);
  const refused = await steps[step](rehearsal, body);
  expect(refused.body).toMatchObject({ status: 502, dependency: 'payment-hub', outside: true, violation });
  expect((await rehearsal.call('read-object', { params: { type: 'payment', id } })).body).toMatchObject(
    known.status === 200 ? known.body : { status: 404 },
  );
});

test('A gift card needs no authorizationCode, because it has no provider', async () => {
  await using hub = await startPaymentHub(lying({ authorizationCode: undefined }));
  await using rehearsal = await swappedTo(hub);
  const { status } = await authorise(rehearsal, { tender: { type: 'gift-card', token: 'gift_1' } });
  expect(status).toBe(201);
});

test('The page about real systems lists each violation', async () => {
  const page = await readFile('docs/reference/real-systems.md', 'utf8');
  const [, table = ''] = page.split('| `violation` | Your system |');
  const listed = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(violationNames);
});

test('A payment of another order pays no order', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  const [poor, paid] = [await rehearsal.draft(), await rehearsal.draft()];
  await rehearsal.authorisation(paid.id, paid.totals.total.amount);
  hub.behave(({ path }) => (path === '/internal/payments' ? { status: 200, body: { items: [...hub.payments.values()] } } : undefined));
  const confirm = await rehearsal.call('confirm-order-api', { params: { id: poor.id }, body: {} });
  expect(confirm.body).toMatchObject({ status: 502, dependency: 'payment-hub', outside: true });
  expect((await rehearsal.order(poor.id)).state).toBe('draft');
  expect((await rehearsal.control('list-swaps')).items[0]?.violations).toMatchObject([{ name: 'other_object', api: 'list-payments' }]);
});

test.each<[application: SwappableApplication, api: string, call: object, lie: (honest: Body) => Body]>([
  ['loyalty-platform', 'get-member-balance-api', { params: { id: 'loy_ada' } }, ofBen],
  ['loyalty-platform', 'get-member-balance-api', { params: { id: '2990000123459' } }, ofBen],
  [
    'loyalty-platform',
    'redeem-points-api',
    { params: { id: 'loy_ada' }, body: { points: 10, orderId: 'ord_1' } },
    ({ account, ...rest }) => ({ ...rest, account: ofBen(account) }),
  ],
  ['crm', 'get-customer-api', { params: { id: 'cus_ada' } }, (body) => ({ ...body, id: 'cus_ben' })],
  ['crm', 'issue-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 10, reason: 'sorry' } }, ofBen],
  ['clienteling-app', 'get-customer-360-api', { params: { id: 'cus_ada' } }, (body) => ({ ...body, loyalty: ofBen(body['loyalty']) })],
  ['clienteling-app', 'log-interaction-api', { body: { customerId: 'cus_ada', type: 'visit' } }, (body) => ({ ...body, id: 'cus_ben' })],
  ['ecommerce-platform', 'get-product-api', { params: { id: 'mug-blue' } }, (body) => ({ ...body, id: 'prd_other', sku: 'mug-red' })],
  [
    'ecommerce-platform',
    'create-basket-api',
    { body: { channel: 'web', customerId: 'cus_ada' } },
    (body) => ({ ...body, customerId: 'cus_ben' }),
  ],
  [
    'inventory-service',
    'check-availability-api',
    { params: { sku: 'mug-blue' }, query: { qty: 1 } },
    (body) => ({ ...body, sku: 'mug-red' }),
  ],
  ['wms', 'get-stock-locations-api', { params: { sku: 'mug-blue' } }, (body) => ({ ...body, sku: 'mug-red' })],
])('A real %s that answers %s %j about another object is refused', async (application, api, call, lie) => {
  await using ours = await newRehearsal();
  const honest = (await ours.call(api as 'get-customer-api', call as never)).body as unknown as Body;
  await using system = await startPaymentHub();
  await using rehearsal = await newRehearsal(undefined, undefined, { [application]: { url: system.url } });
  for (const [body, isAccepted, violation] of [
    [honest, true, undefined],
    [lie(honest), false, 'other_object'],
  ] as const) {
    system.behave(() => ({ status: 200, body }));
    const answer = await rehearsal.call(api as 'get-customer-api', call as never);
    expect([answer.status < 300, answer.body['violation']]).toEqual([isAccepted, violation]);
  }
  expect((await rehearsal.call('read-object', { params: { type: 'loyalty-account', id: 'loy_ben' } })).status).not.toBe(200);
});

test('Each path of a swappable application with an id has a name for it', () => {
  const paths = [...Object.values(apis), ...Object.values(internalCalls)]
    .filter(({ application, path }) => isSwappable(application) && path.includes('{id}'))
    .map(({ path }) => path);
  expect(paths.filter((path) => !((/([^/]+)\/\{id\}/.exec(path)?.[1] ?? '') in NAMED_BY_SEGMENT))).toEqual([]);
});

const [TWO, ONE] = [
  { sku: 'sku-1', qty: 2, unitPrice: eur(1000) },
  { sku: 'sku-2', qty: 1, unitPrice: eur(500) },
];
const priced = ({ unitPrice, qty, ...line }: typeof TWO, discount: number, of = 'EUR') => ({
  ...line,
  qty,
  unitPrice,
  discounts: discount === 0 ? [] : [{ name: 'Ten', discount: eur(discount, of) }],
  discount: eur(discount, of),
  lineTotal: eur(unitPrice.amount * qty - discount, of),
});
type Line = ReturnType<typeof priced>;
const evaluation = (lines: readonly (Line | undefined)[], discount: number, currency = 'EUR') => ({
  lines,
  totalDiscount: eur(discount, currency),
  applied: discount === 0 ? [] : [{ name: 'Ten', discount: eur(discount, currency) }],
  rejected: [],
});

test('The answer of a real Promotion Engine must agree with the request and with itself', async () => {
  await using engine = await startPaymentHub();
  await using rehearsal = await newRehearsal(undefined, undefined, { 'promotion-engine': { url: engine.url } });
  const [first, second] = [priced(TWO, 200), priced(ONE, 0)];
  const lies: readonly (readonly [object, string | undefined])[] = [
    [evaluation([first, second], 200), undefined],
    [evaluation([priced(TWO, 2500), second], 2500), 'money'],
    [evaluation([priced(TWO, -200), second], -200), 'money'],
    [evaluation([{ ...first, unitPrice: eur(900), lineTotal: eur(1600) }, second], 200), 'money'],
    [evaluation([{ ...first, lineTotal: eur(1000) }, second], 200), 'money'],
    [evaluation([{ ...first, discounts: [] }, second], 200), 'money'],
    [evaluation([first, second], 300), 'money'],
    [{ ...evaluation([first, second], 200), applied: [] }, 'money'],
    [evaluation([priced(TWO, 200, 'USD'), second], 200, 'USD'), 'money'],
    [evaluation([first], 200), 'other_object'],
    [evaluation([first, { ...second, sku: 'sku-3' }], 200), 'other_object'],
    [evaluation([priced({ ...TWO, qty: 3 }, 200), second], 200), 'other_object'],
    [evaluation([first, first, second], 400), 'other_object'],
  ];
  for (const [body, violation] of lies) {
    engine.behave(() => ({ status: 200, body }));
    const answer = await rehearsal.call('evaluate-promotions-api', { body: { lines: [TWO, ONE] } });
    expect([body, answer.status, answer.body.violation]).toEqual([body, violation ? 502 : 200, violation]);
  }
  for (const [body, violation] of [
    [{ valid: true, code: 'TEN', discount: eur(100) }, undefined],
    [{ valid: true, code: 'TEN', discount: eur(1001) }, 'money'],
    [{ valid: true, code: 'OTHER', discount: eur(100) }, 'other_object'],
  ] as const) {
    engine.behave(() => ({ status: 200, body }));
    const answer = await rehearsal.call('validate-voucher-api', { params: { code: 'ten' }, body: { amount: eur(1000) } });
    expect([body, answer.body.violation]).toEqual([body, violation]);
  }
});

const DEEP = `{"items":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;

test('JSON that nests too deep has a wrong shape, as an answer and as a refusal, and is a difference in the shadow', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub, { keep: true });
  for (const status of [200, 409]) {
    hub.behave(() => ({ status, body: DEEP }));
    expect((await authorise(rehearsal)).body).toMatchObject({ status: 502, outside: true, violation: 'wrong_shape' });
  }
  await using shadowed = await swappedTo(hub, { mode: 'shadow', shadow: 'all' });
  const { id: orderId, totals } = await shadowed.draft();
  expect((await authorise(shadowed, { orderId, amount: totals.total })).status).toBe(201);
  const found = await eventually('the comparison', async () => {
    const [item] = (await shadowed.control('read-fidelity')).items;
    return item && item.differences.length > 0 ? item : undefined;
  });
  expect(found).toMatchObject({
    skipped: 0,
    differences: expect.arrayContaining([expect.objectContaining({ theirs: '409 wrong_shape' })]),
  });
});

test('A reported object with a secret of the swap is refused, and nothing shows the secret', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  const { body: payment } = await authorise(rehearsal);
  const data = { ...payment, version: 8, authorizationCode: `see ${SECRET}` };
  const refused = await rehearsal.call('report-change', { body: { object: 'payment', data } });
  expect(refused.body).toMatchObject({
    status: 422,
    errors: [
      {
        pointer: '/data',
        code: 'secret',
        detail: expect.stringContaining('/authorizationCode: This has the value of a header of the swap'),
      },
    ],
  });
  const shown = [refused.body, await rehearsal.events({ ext: true }), await rehearsal.journal(), await rehearsal.control('list-swaps')];
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  expect(await rehearsal.object('payment', id)).toMatchObject({ version: 1 });
});

test('A dispute of a payment that the estate has not seen is refused with 404 before the call', async () => {
  await using hub = await startPaymentHub(() => ({ status: 404, body: { code: 'not_found' } }));
  await using rehearsal = await swappedTo(hub);
  const dispute = await rehearsal.call('open-dispute', { params: { id: 'pay_unknown' }, body: { reason: 'fraudulent' } });
  expect([dispute.status, dispute.body.code, hub.received]).toEqual([404, 'not_found', []]);
});

test('A call of a real system without a parameter of its path is refused with its place', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  const call = await rehearsal.call('make-call', { params: { id: 'get-payable' }, body: { application: 'payment-hub' } });
  expect(call.body).toMatchObject({ status: 422, errors: [{ pointer: '/params/id', code: 'required' }] });
});

test('A new payment is reported for an order of the rehearsal only', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  await using other = await swappedTo(hub);
  const { body: known } = await authorise(rehearsal);
  const { id: orderId } = await rehearsal.draft();
  const { id: foreign } = await other.draft();
  const report = async (of: string) =>
    rehearsal.call('report-change', { body: { object: 'payment', data: { ...known, id: `pay_of_${of}`, orderId: of } } });
  for (const unknown of ['ord_unknown', foreign]) {
    expect((await report(unknown)).body).toMatchObject({ status: 422, errors: [{ pointer: '/data/orderId', code: 'not_found' }] });
  }
  expect((await report(orderId)).body).toMatchObject({ changed: true, object: { orderId, version: 1 } });
});
