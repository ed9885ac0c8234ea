import fc from 'fast-check';
import { about, eur, kind, note, notePayment, of } from './running-history.ts';

/** Few numbers, so that references are repeated with the same and with other content. */
const given = { of, number: fc.nat(2), note: fc.constantFrom('', 'spring') };

const named = ({ number, note: text }: { readonly number: number; readonly note: string }) => ({
  reference: { source: 'web-shop', id: `#${number}` },
  ...(text !== '' && { metadata: { campaign: text } }),
});

/** Acts of a shop that names its objects, and repeats its calls. */
export const naming = {
  'name-basket': kind(given, async ({ ask, things }, one) =>
    note(things.baskets, await ask('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }], ...named(one) } })),
  ),
  'name-order': kind(given, ({ ask, things }, one) =>
    about(things.baskets, one.of, async (basketId) =>
      note(things.orders, await ask('create-order-api', { body: { basketId, ...named(one) } })),
    ),
  ),
  'name-payment': kind(
    { ...given, token: fc.constantFrom('tok_visa', 'tok_timeout', 'tok_decline_do_not_honor') },
    ({ ask, things }, one) =>
      about(things.orders, one.of, async (orderId) => {
        const body = { orderId, tender: { type: 'card' as const, token: one.token }, amount: eur(100), ...named(one) };
        notePayment(things, await ask('authorize-payment-api', { body }));
      }),
  ),
  'name-return': kind(given, ({ ask, things }, one) =>
    about(things.orders, one.of, async (orderId) => {
      // The OMS may be down, or not have the sale of a till yet.
      const { body } = await ask('get-order-api', { params: { id: orderId } });
      const [line] = (body?.lines ?? []) as readonly { readonly lineId: string }[];
      const lines = [{ orderLineId: line?.lineId ?? '', qty: 1, reason: 'too small' }];
      note(things.returns, await ask('create-return-api', { body: { orderId, lines, dropOff: 'carrier', ...named(one) } }));
    }),
  ),
  'name-customer': kind(given, async ({ ask, things }, one) => {
    const body = { email: `named-${one.number}@people.example`, firstName: 'Casey', ...named(one) };
    note(things.customers, await ask('create-customer-api', { body }));
  }),
  'list-orders': kind({ state: fc.constantFrom('draft', 'completed'), number: fc.nat(2) }, async ({ ask }, { state, number }) => {
    await ask('list-orders-api', { query: { state, customerId: 'cus_ada' } });
    await ask('list-orders-api', { query: { referenceSource: 'web-shop', referenceId: `#${number}` } });
  }),
};
