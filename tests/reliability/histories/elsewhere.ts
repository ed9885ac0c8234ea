import fc from 'fast-check';
import { ADDRESS } from '../../support/estate.ts';
import { about, eur, kind, note, notePayment, of, orNot, qty, sku } from './running-history.ts';

/** Orders that a marketplace has taken, at its prices and with its money. Few numbers, so that references are repeated. */
export const elsewhere = {
  import: kind(
    {
      ...{ number: fc.nat(5), sku, qty, other: orNot(sku), at: fc.constantFrom('address', 'address', 'store-01') },
      ...{ price: fc.constantFrom(0, 1, 999, 1_000), discount: fc.constantFrom(0, 1, 100), shipping: fc.constantFrom(0, 333) },
      ...{
        wrong: fc.constantFrom(0, 0, 0, 0, 1),
        pay: fc.constantFrom('nothing', 'part', 'all', 'captured', 'captured'),
        confirm: fc.boolean(),
        untaxed: fc.boolean(),
      },
    },
    async ({ ask, things }, one) => {
      const lines = [
        { sku: one.sku, qty: one.qty, unitPrice: eur(one.price) },
        ...(one.other === null || one.other === one.sku ? [] : [{ sku: one.other, qty: 1, unitPrice: eur(777) }]),
      ];
      const goods = lines.reduce((sum, line) => sum + line.qty * line.unitPrice.amount, 0);
      const discount = Math.min(goods, one.discount);
      const net = goods - discount + one.shipping;
      // The marketplace rounds its tax down. Whatever part of the discount a line has, its tax is at most its price.
      const taxOf = (amount: number): number => (one.untaxed ? Math.floor(Math.max(0, amount) / 20) : 0);
      const taxed = lines.map((line) => ({ ...line, taxRate: 5, tax: eur(taxOf(line.qty * line.unitPrice.amount - discount)) }));
      const tax = taxed.reduce((sum, line) => sum + line.tax.amount, taxOf(one.shipping));
      const total = net + tax;
      const untaxed = { taxIncluded: false as const, lines: taxed, tax: eur(tax), taxes: [{ rate: 5, taxable: eur(net), tax: eur(tax) }] };
      const created = await ask('create-order-api', {
        body: {
          priceSource: 'given',
          reference: { source: 'marketplace', id: `MP-${one.number}` },
          customerId: 'cus_ada',
          lines,
          discount: eur(discount),
          shipping: eur(one.shipping),
          total: eur(total + one.wrong),
          ...(one.untaxed && untaxed),
          ...(one.at === 'address' ? { shippingAddress: ADDRESS } : { collection: { locationId: one.at } }),
        },
      });
      note(things.orders, created);
      if (created.status >= 300 || one.pay === 'nothing') return;
      const orderId: string = created.body.id;
      const tender = { type: 'external' as const, provider: 'stripe', reference: `ch_${one.number}` };
      const amount = one.pay === 'part' && total > 1 ? { amount: eur(1) } : {};
      const payment = await ask('authorize-payment-api', { body: { orderId, tender, ...amount } });
      notePayment(things, payment);
      if (payment.status === 201 && one.pay === 'captured') await ask('capture-payment-api', { params: { id: payment.body.id }, body: {} });
      if (one.confirm) await ask('confirm-order-api', { params: { id: orderId } });
    },
  ),
  /** The shop reports what its provider did: with a refund that waits, or with a refund that it made itself. */
  'note-refund': kind(
    {
      of,
      place: fc.integer({ min: 1, max: 2 }),
      state: fc.constantFrom('succeeded', 'succeeded', 'failed'),
      own: fc.boolean(),
      amount: fc.constantFrom(1, 500),
    },
    ({ ask, things }, one) =>
      about(things.payments, one.of, async (id) => {
        const providerReference = `re_${one.amount}`;
        if (one.own) await ask('refund-payment-api', { params: { id }, body: { amount: eur(one.amount), providerReference } });
        const failed = one.state === 'failed' ? { failureReason: 'account_closed' } : {};
        const body = { state: one.state, ...failed } as const;
        await ask('note-refund-result-api', { params: { id, refundId: `${id}.refund-${one.place}` }, body });
      }),
  ),
  /** An imported order that is cancelled while the provider works by hand, and its result. */
  'refund-elsewhere': kind({ of, state: fc.constantFrom('succeeded', 'succeeded', 'failed') }, ({ ask, play, rehearsal, things }, one) =>
    about(things.orders, one.of, async (orderId) => {
      await play('PUT', 'progression', { external: 'manual' });
      await ask('cancel-order-api', { params: { id: orderId }, body: {} });
      await rehearsal.call('POST', '/_control/settle', {}, { as: 'admin' });
      const { body } = await ask('get-order-api', { params: { id: orderId } });
      for (const { id: refundId, paymentId } of (body?.refunds ?? []) as { id: string; paymentId: string }[]) {
        const failed = one.state === 'failed' ? { failureReason: 'account_closed' } : {};
        await ask('note-refund-result-api', { params: { id: paymentId, refundId }, body: { state: one.state, ...failed } });
      }
      await play('PUT', 'progression', { external: 'auto' });
    }),
  ),
};
