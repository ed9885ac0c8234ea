import fc from 'fast-check';
import { ADDRESS } from '../../support/estate.ts';
import { about, eur, kind, note, notePayment, of, orNot, qty, type RunningHistory, sku } from './running-history.ts';

const cardToken = fc.constantFrom(
  ...['tok_visa', 'tok_visa', 'tok_async_approve', 'tok_timeout', 'tok_decline_do_not_honor', 'tok_refund_later', 'tok_refund_fails'],
  ...['tok_decline_at_capture', 'tok_partial_60', 'tok_3ds'],
);

/** Tokens whose payment does not confirm the order of `sell`. */
const NOT_CONFIRMING: ReadonlySet<string> = new Set(['tok_timeout', 'tok_decline_do_not_honor', 'tok_partial_60', 'tok_3ds']);

/** Pays with an unspent redemption: for its own order, or wrongly for another one. */
async function payWithPoints(
  { ask, things }: RunningHistory,
  given: { readonly orderId: string; readonly astray: boolean },
): Promise<void> {
  const redemption = things.redemptions.pop();
  if (!redemption) return;
  const tender = { type: 'loyalty' as const, token: redemption.id };
  const orderId = given.astray ? given.orderId : (redemption.orderId ?? given.orderId);
  notePayment(things, await ask('authorize-payment-api', { body: { orderId, tender, amount: eur(redemption.value) } }));
}

/** From a basket to a paid draft order. @returns its id */
export async function draft(
  { ask, things }: RunningHistory,
  lines: readonly { sku: string; qty: number }[],
  {
    token = 'tok_visa',
    customerId = 'cus_ada',
    exchangeForReturnId,
  }: { token?: string; customerId?: string; exchangeForReturnId?: string },
): Promise<string | undefined> {
  const basket = await ask('create-basket-api', { body: { channel: 'web', customerId, lines: [...lines] } });
  note(things.baskets, basket);
  if (basket.status !== 201) return undefined;
  await ask('checkout-basket-api', { params: { id: basket.body.id }, body: { shippingAddress: ADDRESS } });
  const exchange = exchangeForReturnId === undefined ? {} : { exchangeForReturnId };
  const order = await ask('create-order-api', { body: { basketId: basket.body.id, ...exchange } });
  note(things.orders, order);
  if (order.status >= 300) return undefined;
  notePayment(things, await ask('authorize-payment-api', { body: { orderId: order.body.id, tender: { type: 'card', token } } }));
  return order.body.id;
}

/** Acts of customers on web and app, and of the shop on their orders. */
export const selling = {
  basket: kind(
    { sku, qty, customer: orNot(fc.constantFrom('cus_ada', 'cus_ben')), merge: orNot(of), more: orNot(sku) },
    async ({ ask, things }, given) => {
      const merged = given.merge === null ? undefined : things.baskets.at(given.merge % Math.max(1, things.baskets.length));
      const body = {
        channel: 'web' as const,
        lines: [{ sku: given.sku, qty: given.qty }],
        ...(given.customer !== null && { customerId: given.customer }),
        ...(merged !== undefined && { mergeBasketIds: [merged] }),
      };
      const basket = await ask('create-basket-api', { body });
      note(things.baskets, basket);
      if (basket.status === 201 && given.more !== null) {
        await ask('add-line-to-basket-api', { params: { id: basket.body.id }, body: { sku: given.more, qty: 1 } });
      }
    },
  ),
  line: kind({ of, sku, qty }, ({ ask, things }, given) =>
    about(things.baskets, given.of, (id) => ask('add-line-to-basket-api', { params: { id }, body: { sku: given.sku, qty: given.qty } })),
  ),
  browse: kind({ q: fc.constantFrom('mug', 'nothing') }, ({ ask }, { q }) => ask('list-products-api', { query: { q } })),
  /** Zero removes the line. */
  'change-line': kind({ of, line: of, qty: fc.constantFrom(0, 0, 1, 3) }, ({ ask, things }, given) =>
    about(things.baskets, given.of, async (id) => {
      const { body } = await ask('get-basket-api', { params: { id } });
      const ids: string[] = (body.lines ?? []).map((line: { lineId: string }) => line.lineId);
      await about(ids, given.line, (lineId) =>
        given.qty === 0
          ? ask('remove-basket-line-api', { params: { id, lineId } })
          : ask('change-basket-line-api', { params: { id, lineId }, body: { qty: given.qty } }),
      );
    }),
  ),
  checkout: kind(
    {
      of,
      placeOrder: fc.boolean(),
      express: fc.boolean(),
      voucher: fc.constantFrom(null, null, 'WELCOME10', 'USEDUP', 'MIN100'),
      contact: orNot(fc.constantFrom('ada@people.example', 'walk-in@people.example')),
    },
    ({ ask, things }, { of: which, placeOrder, express, voucher, contact }) =>
      about(things.baskets, which, async (id) => {
        const body = {
          shippingAddress: ADDRESS,
          placeOrder,
          shippingMethod: express ? ('EXPRESS' as const) : ('STANDARD' as const),
          ...(voucher !== null && { voucherCodes: [voucher] }),
          ...(contact !== null && { contact: { email: contact } }),
        };
        const { status, body: basket } = await ask('checkout-basket-api', { params: { id }, body });
        if (status < 300 && basket.orderId !== undefined && !things.orders.includes(basket.orderId)) things.orders.push(basket.orderId);
      }),
  ),
  order: kind({ of }, ({ ask, things }, given) =>
    about(things.baskets, given.of, async (basketId) => note(things.orders, await ask('create-order-api', { body: { basketId } }))),
  ),
  authorise: kind(
    {
      of,
      type: fc.constantFrom('card', 'card', 'gift-card', 'bnpl'),
      token: cardToken,
      gift: fc.constantFrom('gift_50', 'gift_5'),
      part: fc.constantFrom(0, 0, 500),
      acceptPartial: fc.boolean(),
      capture: fc.constantFrom(false, false, true),
    },
    ({ ask, things }, { of: which, type, token, gift, part, acceptPartial, capture }) =>
      about(things.orders, which, async (orderId) => {
        const tender = type === 'bnpl' ? { type } : { type, token: type === 'gift-card' ? gift : token };
        const amount = part > 0 ? { amount: eur(part) } : {};
        const payment = await ask('authorize-payment-api', { body: { orderId, tender, acceptPartial, ...amount } });
        notePayment(things, payment);
        if (payment.status === 201 && capture) await ask('capture-payment-api', { params: { id: payment.body.id }, body: {} });
      }),
  ),
  /** The customer approves or rejects a payment at 3-D Secure. */
  decide: kind({ of, outcome: fc.constantFrom('succeeded', 'succeeded', 'failed') }, ({ play, things }, { of: which, outcome }) =>
    about(things.payments, which, (id) => play('POST', `payments/${id}/action`, { outcome })),
  ),
  'pay-with-points': kind({ of, astray: fc.constantFrom(false, false, true) }, (history, { of: which, astray }) =>
    about(history.things.orders, which, (orderId) => payWithPoints(history, { orderId, astray })),
  ),
  confirm: kind({ of }, ({ ask, things }, given) => about(things.orders, given.of, (id) => ask('confirm-order-api', { params: { id } }))),
  cancel: kind({ of }, ({ ask, things }, given) =>
    about(things.orders, given.of, (id) => ask('cancel-order-api', { params: { id }, body: { reason: 'changed my mind' } })),
  ),
  change: kind(
    {
      of,
      what: fc.constantFrom('units', 'units', 'line', 'address', 'method', 'place', 'other place'),
      units: fc.integer({ min: 1, max: 3 }),
    },
    ({ ask, things }, { of: which, what, units }) =>
      about(things.orders, which, async (id) => {
        const { body: order } = await ask('get-order-api', { params: { id } });
        const lines: { lineId: string; qty: number }[] = order?.lines ?? [];
        const [first] = lines;
        const bodies = {
          units: { lines: lines.map(({ lineId, qty }) => ({ lineId, qty: Math.max(1, qty - units) })) },
          line: { lines: lines.slice(0, 1).map(({ lineId }) => ({ lineId, qty: 0 })) },
          address: { shippingAddress: { ...ADDRESS, line1: `${units} Shop Street` } },
          method: { shippingMethod: units === 1 ? ('EXPRESS' as const) : ('STANDARD' as const) },
          place: { collection: { locationId: 'store-01', ...(units === 1 && { person: 'Ada' }) } },
          'other place': { collection: { locationId: 'store-02' } },
        };
        if (first) await ask('change-order-api', { params: { id }, body: bodies[what] });
      }),
  ),
  route: kind({ of, strategy: fc.constantFrom('nearest', 'most-stock') }, ({ ask, things }, { of: which, strategy }) =>
    about(things.orders, which, (id) => ask('route-order-api', { params: { id }, body: { strategy } })),
  ),
  capture: kind({ of, part: fc.constantFrom(0, 0, 400) }, ({ ask, things }, { of: which, part }) =>
    about(things.payments, which, (id) => ask('capture-payment-api', { params: { id }, body: part > 0 ? { amount: eur(part) } : {} })),
  ),
  void: kind({ of }, ({ ask, things }, given) => about(things.payments, given.of, (id) => ask('void-payment-api', { params: { id } }))),
  refund: kind(
    { of, amount: fc.integer({ min: 1, max: 4_000 }), toGiftCard: fc.constantFrom(false, false, true) },
    ({ ask, things }, { of: which, amount, toGiftCard }) =>
      about(things.payments, which, (id) => {
        const payOutTo = toGiftCard ? { type: 'gift-card' as const, token: 'gift_5' } : undefined;
        return ask('refund-payment-api', { params: { id }, body: { amount: eur(amount), reason: 'goodwill', payOutTo } });
      }),
  ),
  dispute: kind({ of, amount: orNot(fc.integer({ min: 1, max: 4_000 })) }, ({ play, things }, { of: which, amount }) =>
    about(things.payments, which, (id) =>
      play('POST', `payments/${id}/dispute`, { reason: 'fraudulent', amount: amount === null ? undefined : eur(amount) }),
    ),
  ),
  'decide-dispute': kind({ of, outcome: fc.constantFrom('won', 'lost') }, ({ play, things }, { of: which, outcome }) =>
    about(things.payments, which, (id) => play('POST', `payments/${id}/dispute/outcome`, { outcome })),
  ),
  /** From basket to confirmed order in one act. Without it, few histories reach later states. */
  sell: kind({ sku, qty, other: orNot(sku), token: cardToken, express: fc.boolean() }, async (history, given) => {
    const lines = [
      { sku: given.sku, qty: given.qty },
      ...(given.other === null || given.other === given.sku ? [] : [{ sku: given.other, qty: 1 }]),
    ];
    const id = await draft(history, lines, { token: NOT_CONFIRMING.has(given.token) ? 'tok_visa' : given.token });
    if (id !== undefined) await history.ask('confirm-order-api', { params: { id } });
  }),
};
