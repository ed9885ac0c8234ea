import type { ApiInput, BusinessObject, ObjectType, TypedApiId } from '../../rehearsal/call-types.ts';
import { apis } from '../data/catalog.ts';
import { callApi, type OperationId, type Input as OperationInput, tracedControl } from '../data/data.ts';
import { forms } from './catalog.ts';
import type { Input } from './form.ts';

/** What a step caused. */
export interface Outcome {
  readonly correlationId: string | undefined;
  /** The object that it has made. */
  readonly made?: { readonly type: ObjectType; readonly id: string };
}

/** @throws Refusal */
export type Step = () => Promise<Outcome>;

/** A call of an API, or an operation that plays the outside world. @param acted the id of the object that it acts on */
export const send =
  (id: string, input: Input, acted: string): Step =>
  async () => {
    const { body, correlationId } = Object.hasOwn(apis, id)
      ? await callApi(id as TypedApiId, input as never)
      : await tracedControl(id as OperationId, input as OperationInput<OperationId>);
    const { id: made = acted, orderId } = (body ?? {}) as { readonly id?: string; readonly orderId?: string };
    // A checkout that places the order answers with the basket, where nothing is left to do.
    if (id === 'checkout-basket-api' && orderId !== undefined) return { correlationId, made: { type: 'order', id: orderId } };
    const type = forms[id]?.makes as ObjectType | undefined;
    return { correlationId, made: type && made !== acted ? { type, id: made } : undefined };
  };

/** What a call would answer, or the certain part of it; undefined if all of it depends on other applications. @throws Refusal */
export async function tryOut(id: string, input: Input): Promise<unknown> {
  const { body } = await callApi(id as TypedApiId, input as never, '?dryRun=true');
  const { answer, foreseen } = body as { readonly answer?: unknown; readonly foreseen?: unknown };
  return answer ?? foreseen;
}

/** Gives the order to the warehouse, which reports that somebody has begun. */
export const startPicking = ({ id: fulfillmentOrderId }: BusinessObject<'fulfillment-order'>): readonly Step[] => [
  async () => {
    const { body: picking } = await callApi('create-picking-order-api', { body: { fulfillmentOrderId } });
    return send('update-picking-status-api', { params: { id: picking.id }, body: { status: 'started' } }, fulfillmentOrderId)();
  },
];

/** Redeems points, and pays with the redemption at most what another payment would pay. The last point may be worth more. */
export const payWithPoints = (
  _order: BusinessObject<'order'>,
  { params: { id = '' }, body }: Input,
  inputOf: (step: string) => Input | undefined,
): readonly Step[] => [
  async () => {
    const redeemed = await callApi('redeem-points-api', { params: { id }, body: body as ApiInput<'redeem-points-api'>['body'] });
    const { id: token, value } = redeemed.body.redemption;
    const other = inputOf('pay')?.body as ApiInput<'authorize-payment-api'>['body'];
    const amount = other.amount && other.amount.amount < value.amount ? other.amount : value;
    return send('authorize-payment-api', { params: {}, body: { ...other, tender: { type: 'loyalty', token }, amount } }, id)();
  },
];

/** Makes a basket of the customer, checks it out, and turns it into an order that the return pays for. */
export const exchange = ({ id, customerId }: BusinessObject<'return'>, { body }: Input): readonly Step[] => [
  async () => {
    const { lines, shippingAddress } = body as ApiInput<'create-basket-api'>['body'] & ApiInput<'checkout-basket-api'>['body'];
    const { body: basket } = await callApi('create-basket-api', { body: { channel: 'web', customerId, lines } });
    await callApi('checkout-basket-api', { params: { id: basket.id }, body: { shippingAddress } });
    return send('create-order-api', { params: {}, body: { basketId: basket.id, exchangeForReturnId: id } }, id)();
  },
];

/** Sells at a till, which makes a basket unless it gets one. The order of the sale exists once it is paid. */
export const sellAtTill = ({ id }: BusinessObject<'customer' | 'basket'>, { body }: Input): readonly Step[] => [
  async () => {
    const sale = await callApi('create-transaction-api', { body: body as ApiInput<'create-transaction-api'>['body'] });
    const { basketId } = sale.body;
    return {
      correlationId: sale.correlationId,
      made: basketId === undefined || basketId === id ? undefined : { type: 'basket', id: basketId },
    };
  },
];

/** A till takes what is outstanding of an order that waits at the counter, in cash. */
export const payAtCounter = ({ id }: BusinessObject<'fulfillment-order'>, { body }: Input): readonly Step[] => [
  async () => {
    const { body: opened } = await callApi('create-transaction-api', { body: body as ApiInput<'create-transaction-api'>['body'] });
    const { id: transactionId, outstanding, receipt } = opened;
    if (receipt || !outstanding) return { correlationId: undefined };
    const tender = { tender: { type: 'cash' }, amount: outstanding };
    const { correlationId } = await send('add-payment-api', { params: { id: transactionId }, body: tender }, id)();
    return { correlationId };
  },
];

/** Replaces the first address of a customer. */
export const changeAddress = ({ id, addresses }: BusinessObject<'customer'>, { params, body }: Input): readonly Step[] => [
  send('change-customer-by-hand', { params, body: { addresses: [body['shippingAddress'], ...addresses.slice(1)] } }, id),
];
