import type { ApiInput } from '../../../rehearsal/call-types.ts';
import type { OpenRehearsal } from '../open-rehearsal.ts';
import { ADDRESS } from './order.ts';
import { eur } from './tender.ts';

type Body = NonNullable<ApiInput<'create-order-api'>['body']>;

/**
 * An order that a web shop took. By hand: 3 × 10.00 − 1.00 and 2 × 7.77 are 44.54; less 1.01 on the whole order, plus 3.33 for shipping, 46.86.
 * The 1.01 is split 0.66 and 0.35, so the lines cost 28.34 and 15.19.
 */
export const givenOrder = (id: string, more: Partial<Body> = {}): Body => ({
  priceSource: 'given',
  reference: { source: 'web-shop', id },
  customerId: 'cus_ada',
  lines: [
    { sku: 'mug-blue', qty: 3, unitPrice: eur(1_000), discount: eur(100) },
    { sku: 'espresso-cup', qty: 2, unitPrice: eur(777) },
  ],
  discount: eur(101),
  shipping: eur(333),
  tax: eur(876),
  total: eur(4_686),
  shippingAddress: ADDRESS,
  ...more,
});

/**
 * `givenOrder` with prices without tax. The lines cost 28.34 and 15.19 after all discounts. The shop rounds the tax of each unit down: 19 % of
 * a third of 28.34 are 1.79, so three mugs add 5.37, and not 5.38. Two cups add 2 × 0.53, and 3.33 of shipping 0.63. So the total is 46.86 + 7.06
 * = 53.92.
 */
export const givenWithoutTax = (id: string, more: Partial<Body> = {}): Body =>
  givenOrder(id, {
    taxIncluded: false,
    lines: [
      { sku: 'mug-blue', qty: 3, unitPrice: eur(1_000), discount: eur(100), taxRate: 19, tax: eur(537) },
      { sku: 'espresso-cup', qty: 2, unitPrice: eur(777), taxRate: 7, tax: eur(106) },
    ],
    taxes: [
      { rate: 7, taxable: eur(1_519), tax: eur(106) },
      { rate: 19, taxable: eur(3_167), tax: eur(600) },
    ],
    tax: eur(706),
    total: eur(5_392),
    ...more,
  });

export const external = (reference = 'ch_1') => ({ type: 'external' as const, provider: 'stripe', reference });

/** Steps of an order that another system took, and of its payment at the provider of that system. */
export function givenSteps({ api, settle }: OpenRehearsal) {
  /** A draft, with its payment of the whole total noted as authorised. */
  const noted = async (id = '#1') => {
    const order = await api('create-order-api', { body: givenOrder(id) });
    const payment = await api('authorize-payment-api', { body: { orderId: order.id, tender: external(`ch_${id}`) } });
    return { order, payment };
  };
  return {
    noted,
    /** The refund of a cancelled order. With the progression `external: manual` it waits for its client. */
    awaitedRefund: async (name?: string) => {
      const { order, payment } = await noted(name);
      const { id } = payment;
      await api('capture-payment-api', { params: { id } });
      await api('cancel-order-api', { params: { id: order.id }, body: {} });
      await settle();
      return { id, orderId: order.id, refundId: `${id}.refund-1` };
    },
  };
}
