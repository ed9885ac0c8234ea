import type { ApiInput } from '../../../rehearsal/call-types.ts';
import type { OpenRehearsal } from '../open-rehearsal.ts';
import { card, eur } from './tender.ts';

export const ADDRESS = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

/** Slightly longer than the lifetime of a reservation. */
export const TTL = 'PT15M1S';

export interface Line {
  readonly sku: string;
  readonly qty: number;
}

/** The goods of a basket: one line, or several. */
export interface Goods extends Partial<Line> {
  readonly lines?: readonly Line[];
  readonly customerId?: string;
  readonly voucherCodes?: readonly string[];
}

type Tender = ApiInput<'authorize-payment-api'>['body']['tender'];
type Checkout = Omit<NonNullable<ApiInput<'checkout-basket-api'>['body']>, 'shippingAddress'>;

/** Steps from a basket to a confirmed order. Each starts from goods, or from the id that the previous step returned. */
export function orderSteps({ api, call }: OpenRehearsal) {
  const basket = ({ sku = 'mug-blue', qty = 2, lines = [{ sku, qty }], customerId = 'cus_ada' }: Goods = {}) =>
    api('create-basket-api', { body: { channel: 'web', customerId, lines: [...lines] } });
  const checkedOut = async (from: string | Goods = {}, more: Checkout = {}) => {
    const id = typeof from === 'string' ? from : (await basket(from)).id;
    const voucherCodes = typeof from === 'string' || !from.voucherCodes ? undefined : [...from.voucherCodes];
    return api('checkout-basket-api', {
      params: { id },
      body: { shippingAddress: ADDRESS, ...(voucherCodes && { voucherCodes }), ...more },
    });
  };
  const draft = async (from: string | Goods = {}) =>
    api('create-order-api', { body: { basketId: typeof from === 'string' ? from : (await checkedOut(from)).id } });
  /** A payment of the outstanding amount or a part, by card unless another tender is given. */
  const authorisation = (orderId: string, amount?: number, by?: string | Tender) => {
    const tender = typeof by === 'object' ? by : card(by);
    return api('authorize-payment-api', { body: { orderId, tender, ...(amount !== undefined && { amount: eur(amount) }) } });
  };
  /** A draft whose total a card pays. */
  const authorised = async (from: string | Goods = {}) => {
    const order = await draft(from);
    await authorisation(order.id);
    return order;
  };
  return {
    basket,
    checkedOut,
    draft,
    authorisation,
    authorised,
    /** @param from goods, or the id of a paid draft */
    confirmed: async (from: string | Goods = {}) =>
      api('confirm-order-api', { params: { id: typeof from === 'string' ? from : (await authorised(from)).id } }),
    order: (id: string) => api('get-order-api', { params: { id } }),
    addLine: (id: string, line: Line) => call('add-line-to-basket-api', { params: { id }, body: line }),
    checkOut: (id: string, body: object = {}, headers: Record<string, string> = {}) =>
      call('checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS, ...body }, headers }),
    confirm: (id: string, headers: Record<string, string> = {}) => call('confirm-order-api', { params: { id }, headers }),
    cancel: (id: string, body?: unknown, headers: Record<string, string> = {}) =>
      call('cancel-order-api', { params: { id }, body, headers }),
    /** Refunds a part of a payment. @param more a reason, or the return that the refund is for */
    refund: (id: string, amount: number, more: object = {}, headers: Record<string, string> = {}) =>
      call('refund-payment-api', { params: { id }, body: { amount: eur(amount), ...more }, headers }),
    refunded: (id: string, amount: number, returnId?: string) =>
      api('refund-payment-api', { params: { id }, body: { amount: eur(amount), returnId } }),
    /** State of each payment of an order, and its captured amount less refunds. */
    paid: async (id: string) => {
      const { payments } = await api('get-order-api', { params: { id } });
      return payments.map(({ state, capturedAmount, refundedAmount }) => [state, capturedAmount.amount - refundedAmount.amount]);
    },
  };
}

export type OrderSteps = ReturnType<typeof orderSteps>;
