import { type ApiId, apis } from '../../shared/catalog/apis.ts';
import { changeProduct, moveProduct } from '../../shared/catalog/commerce/internal.ts';
import { ProductVerb } from '../../shared/catalog/commerce/objects.ts';
import type { ControlId } from '../../shared/catalog/control/operations.ts';
import { changeCustomer, moveCustomer } from '../../shared/catalog/customer/internal.ts';
import { CustomerVerb } from '../../shared/catalog/customer/objects.ts';
import type { CallOf } from '../../shared/catalog/define.ts';
import { moveReturn, resendScanWebhook, scanShipment } from '../../shared/catalog/fulfillment/internal.ts';
import { ReturnVerb } from '../../shared/catalog/fulfillment/returns.ts';
import { Scan } from '../../shared/catalog/fulfillment/shipments.ts';
import { LIMITS } from '../../shared/catalog/limits.ts';
import {
  leftInParcel,
  ofOrder,
  outstandingAtTill,
  outstandingOf,
  payablePoints,
  replaceable,
  replaceableLost,
  returnable,
} from '../../shared/catalog/nearby.ts';
import type { BusinessObject, ObjectType } from '../../shared/catalog/objects.ts';
import { refundableOf } from '../../shared/catalog/payment/cover.ts';
import { completePaymentAction, decideDispute, disputePayment } from '../../shared/catalog/payment/internal.ts';
import { refundId } from '../../shared/catalog/payment/refunds.ts';
import { apiOfVerb, type verbApis } from '../../shared/catalog/verb-apis.ts';
import { type Money, money } from '../../shared/domain/money.ts';
import { locationsOf, skusAfter } from '../objects/stock.ts';
import type { PossibleCall } from '../outside-call.ts';
import type { ExplainScope, Subject } from './subject.ts';

/** Objects that a call may need in addition to its own: a store, some products. */
interface Others {
  readonly storeIds: readonly string[];
  readonly skus: readonly string[];
}

/** Limit of the products that are tried. A product may be suspended, or sold out. */
const MOST_SKUS = 5;

/**
 * The calls that make an object take a step, each with an example of its input. The step is possible if one of them is. A text is the reason
 * why the call cannot even be made.
 */
type Attempt<Type extends ObjectType> = (
  object: BusinessObject<Type>,
  subject: Subject,
  others: () => Promise<Others>,
) => PossibleCall | string | Promise<PossibleCall | readonly PossibleCall[]>;

type Attempts<Type extends ObjectType> = Readonly<Record<string, Attempt<Type>>>;
type TypeWithApis = keyof typeof verbApis;
type ApiOf<Type extends TypeWithApis, Verb extends keyof (typeof verbApis)[Type]> = (typeof verbApis)[Type][Verb] & ApiId;
/** A call that needs no input but the id of the object. */
interface OnlyId {
  readonly params: Readonly<Record<'id', string>>;
}
/** Each verb that an API makes needs an attempt, unless the API needs only the id. */
type AttemptsOfApis<Type extends TypeWithApis> = {
  readonly [Verb in keyof (typeof verbApis)[Type] as OnlyId extends CallOf<(typeof apis)[ApiOf<Type, Verb>]> ? never : Verb]: Attempt<Type>;
};
type AttemptsOfAllApis = {
  readonly [Type in TypeWithApis as Record<never, never> extends AttemptsOfApis<Type> ? never : Type]: AttemptsOfApis<Type>;
};

interface WithId {
  readonly id: string;
}

/** A call that names the object in its path. */
const at =
  (api: PossibleCall['api'], body?: object) =>
  ({ id }: WithId): PossibleCall => ({ api, params: { id }, body });

/** For each verb, a call that names it in its body. */
const each = <Verb extends string>(
  verbs: readonly Verb[],
  attempt: (verb: Verb) => (object: WithId) => PossibleCall,
): Readonly<Record<Verb, (object: WithId) => PossibleCall>> =>
  Object.fromEntries(verbs.map((verb) => [verb, attempt(verb)])) as Readonly<Record<Verb, (object: WithId) => PossibleCall>>;

const ADDRESS = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' } as const;
const LANE = 'SCO-01';

/** Requests take only amounts above 0, and have a default for most. */
const ifPositive = (amount: Money): Money | undefined => (amount.amount > 0 ? amount : undefined);
const least = ({ currency }: Money): Money => money(1, currency);

const changing = (id: string, body: object): PossibleCall => ({ api: apis['change-order-api'], params: { id }, body });

/** Notes the result of the refund that waits for its provider. */
const resultOf =
  (body: object): Attempt<'payment'> =>
  ({ id, refunds }) => {
    const pending = refunds.findIndex(({ state }) => state === 'pending');
    if (refunds.length === 0) return 'It has no refund.';
    const name = refundId(id, pending < 0 ? refunds.length - 1 : pending);
    return { api: apis['note-refund-result-api'], params: { id, refundId: name }, body };
  };

const picking =
  (body: (order: BusinessObject<'fulfillment-order'>) => object): Attempt<'fulfillment-order'> =>
  (order) =>
    order.pickingOrderId === undefined
      ? 'It has no picking order.'
      : { api: apis['update-picking-status-api'], params: { id: order.pickingOrderId }, body: body(order) };

const NOT_AT_COUNTER = 'No goods of it wait at a counter.';
const NOT_AT_TILL = 'It is not at a till.';

/** By type of object, and by verb of its life cycle or name of another step. */
const attempts: AttemptsOfAllApis & { readonly [Type in ObjectType]?: Attempts<Type> } = {
  order: {
    change: ({ id, lines, shippingMethod }) => {
      const fewer = lines.find(({ qty }) => qty > 1) ?? (lines.length > 1 ? lines[0] : undefined);
      return Promise.resolve([
        ...(fewer ? [changing(id, { lines: [{ lineId: fewer.lineId, qty: fewer.qty - 1 }] })] : []),
        changing(id, { shippingAddress: ADDRESS }),
        ...(shippingMethod === 'EXPRESS' ? [changing(id, { shippingMethod: 'STANDARD' })] : []),
      ]);
    },
    'change-address': ({ id, shippingAddress }) => {
      if (shippingAddress === undefined) return 'It is not sent to an address.';
      const line1 = shippingAddress.line1 === ADDRESS.line1 ? '2 Quay Street' : ADDRESS.line1;
      return changing(id, { shippingAddress: { ...shippingAddress, line1 } });
    },
    'change-delivery': ({ id, collection }) =>
      collection === undefined ? 'Nobody collects it in a store.' : changing(id, { shippingAddress: ADDRESS }),
    'change-place': ({ id, collection: present }, _subject, others) =>
      others().then(({ storeIds }) => {
        const locationId = storeIds.find((store) => store !== present?.locationId) ?? present?.locationId;
        return changing(id, { collection: { locationId, person: present?.person } });
      }),
    'change-method': ({ id, shippingMethod }) =>
      shippingMethod === 'EXPRESS' ? changing(id, { shippingMethod: 'STANDARD' }) : 'It is not sent by EXPRESS.',
    replace: (order, { near }) => {
      const { id, lines, replacements } = order;
      const call = (reason: string, unitsOf: (lineId: string) => number): PossibleCall => {
        const units = lines.map(({ lineId }) => ({ orderLineId: lineId, qty: unitsOf(lineId) }));
        const some = units.filter(({ qty }) => qty > 0).slice(0, LIMITS.lines);
        const least = [{ orderLineId: lines[0]?.lineId ?? '', qty: 1 }];
        return { api: apis['create-replacement-api'], params: { id }, body: { lines: some.length > 0 ? some : least, reason } };
      };
      const lost = ofOrder(near, 'fulfillment-order', id).flatMap(({ object }) => (object.failureReason === 'lost' ? [object] : []));
      return Promise.resolve([
        ...(lost.length > 0 ? [call('lost', (lineId) => replaceableLost(order, lineId, near))] : []),
        // Of several parcels, one may be refunded or found already.
        ...(lost.length > 1 ? lost.map((parcel) => call('lost', (lineId) => leftInParcel(parcel, lineId, replacements))) : []),
        call('damaged', (lineId) => replaceable(order, lineId, near)),
      ]);
    },
    'open-return': ({ id, lines, replacements, shippingAddress, storeId, collection }, { near }, others) => {
      const open = lines.map(({ lineId: orderLineId }) => ({ orderLineId, qty: returnable({ lines, replacements }, orderLineId, near) }));
      const some = open.filter(({ qty }) => qty > 0).slice(0, LIMITS.lines);
      const units = some.length > 0 ? some : open.slice(0, 1).map((line) => ({ ...line, qty: 1 }));
      const body = { orderId: id, lines: units.map((line) => ({ ...line, reason: 'Changed my mind' })) };
      const call = (way: object): PossibleCall => ({ api: apis['create-return-api'], body: { ...body, ...way } });
      if (shippingAddress) return call({ dropOff: 'carrier' });
      const store = storeId ?? collection?.locationId;
      if (store !== undefined) return call({ dropOff: 'store', locationId: store });
      return others().then(({ storeIds: [first] }) => call({ dropOff: 'store', locationId: first }));
    },
    pay: (order, { near }) => ({
      api: apis['authorize-payment-api'],
      body: { orderId: order.id, tender: { type: 'card', token: 'tok_visa' }, amount: ifPositive(outstandingOf(order, near)) },
    }),
    'pay-with-points': (order, { near }) =>
      order.loyaltyAccountId === undefined
        ? 'Its customer is not a member.'
        : {
            api: apis['redeem-points-api'],
            params: { id: order.loyaltyAccountId },
            body: { points: Math.max(1, payablePoints(order, near)), orderId: order.id },
          },
  },
  payment: {
    capture: ({ id, authorizedAmount }) => ({
      api: apis['capture-payment-api'],
      params: { id },
      body: { amount: ifPositive(authorizedAmount) },
    }),
    refund: (payment) => {
      const { id, amount } = payment;
      const body = { amount: ifPositive(refundableOf(payment)) ?? least(amount) };
      return { api: apis['refund-payment-api'], params: { id }, body };
    },
    'settle-refund': resultOf({ state: 'succeeded' }),
    'fail-refund': resultOf({ state: 'failed', failureReason: 'account_closed' }),
    authenticate: at(completePaymentAction, { outcome: 'succeeded' }),
    'fail-authentication': at(completePaymentAction, { outcome: 'failed' }),
    dispute: (payment) => ({
      api: disputePayment,
      params: { id: payment.id },
      body: { reason: 'fraudulent', amount: ifPositive(refundableOf(payment)) },
    }),
    'win-dispute': at(decideDispute, { outcome: 'won' }),
    'lose-dispute': at(decideDispute, { outcome: 'lost' }),
  },
  'fulfillment-order': {
    'start-picking': ({ id }) => ({ api: apis['create-picking-order-api'], body: { fulfillmentOrderId: id } }),
    pick: picking(() => ({ status: 'picked' })),
    'pick-nothing': picking(({ lines }) => ({
      status: 'short',
      lines: lines.map(({ orderLineId }) => ({ orderLineId, pickedQty: 0 })),
    })),
    pack: picking(() => ({ status: 'packed' })),
    'report-start': picking(() => ({ status: 'started' })),
    'hand-over': ({ id, collection }) =>
      collection?.code === undefined
        ? NOT_AT_COUNTER
        : { api: apis['hand-over-collection-api'], params: { id }, body: { code: collection.code } },
    'hand-over-to-person': ({ id, orderId, collection }) =>
      collection?.person === undefined
        ? 'Nobody is named who may collect its goods without the code.'
        : { api: apis['hand-over-collection-api'], params: { id }, body: { orderId, person: collection.person } },
    'hand-over-part': ({ id, lines, collection }) => {
      if (collection?.code === undefined) return NOT_AT_COUNTER;
      const picked = lines.filter(({ pickedQty }) => pickedQty > 0).slice(0, LIMITS.lines);
      const taken = picked.map(({ orderLineId, pickedQty }) => ({ orderLineId, qty: pickedQty }));
      return { api: apis['hand-over-collection-api'], params: { id }, body: { code: collection.code, lines: taken } };
    },
    'pay-at-counter': ({ orderId, collection }) =>
      collection === undefined
        ? 'Its goods are sent to an address.'
        : { api: apis['create-transaction-api'], body: { storeId: collection.locationId, laneId: LANE, orderId } },
  },
  shipment: {
    resend: at(resendScanWebhook),
    ...each(Scan.options, (scan) => at(scanShipment, { scan })),
  },
  return: {
    ...each(ReturnVerb.options, (verb) => at(moveReturn, { verb })),
    reject: at(moveReturn, { verb: 'reject', reason: 'Worn' }),
    inspect: ({ id, lines }) => {
      const inspected = lines.slice(0, LIMITS.lines).map(({ orderLineId }) => ({ orderLineId, condition: 'resellable' }));
      return { api: moveReturn, params: { id }, body: { verb: 'inspect', lines: inspected } };
    },
  },
  basket: {
    'add-line': ({ id, lines: [line] }, _subject, others) => {
      const call = (sku: string): PossibleCall => ({ api: apis['add-line-to-basket-api'], params: { id }, body: { sku, qty: 1 } });
      return others().then(({ skus }) => [...(line ? [line.sku] : []), ...skus].map(call));
    },
    'change-line': ({ id, lines: [line] }) => {
      if (!line) return 'It is empty.';
      const call = (qty: number): PossibleCall => ({
        api: apis['change-basket-line-api'],
        params: { id, lineId: line.lineId },
        body: { qty },
      });
      return Promise.resolve([call(line.qty + 1), ...(line.qty > 1 ? [call(line.qty - 1)] : [])]);
    },
    'remove-line': ({ id, lines: [line] }) =>
      line ? { api: apis['remove-basket-line-api'], params: { id, lineId: line.lineId } } : 'It is empty.',
    checkout: ({ id, customerId, shippingAddress }, { near }) => {
      const [known = ADDRESS] = near.get('customer', customerId)?.addresses ?? [];
      return { api: apis['checkout-basket-api'], params: { id }, body: { shippingAddress: shippingAddress ?? known } };
    },
    'change-checkout': ({ id, shippingAddress = ADDRESS, shippingMethod }) => ({
      api: apis['checkout-basket-api'],
      params: { id },
      body: { shippingAddress, shippingMethod: shippingMethod === 'EXPRESS' ? 'STANDARD' : 'EXPRESS' },
    }),
    convert: ({ id }) => ({ api: apis['create-order-api'], body: { basketId: id } }),
    merge: ({ id, channel, customerId }) => ({ api: apis['create-basket-api'], body: { channel, customerId, mergeBasketIds: [id] } }),
    'start-transaction': ({ id }, _subject, others) =>
      others().then(({ storeIds: [storeId] }) => ({ api: apis['create-transaction-api'], body: { storeId, laneId: LANE, basketId: id } })),
    'collect-in-store': ({ id }, _subject, others) =>
      others().then(({ storeIds: [locationId] }) => ({
        api: apis['checkout-basket-api'],
        params: { id },
        body: { collection: { locationId }, placeOrder: true },
      })),
    'take-cash': (basket, { near }) =>
      basket.transactionId === undefined
        ? NOT_AT_TILL
        : {
            api: apis['add-payment-api'],
            params: { id: basket.transactionId },
            body: { tender: { type: 'cash' }, amount: ifPositive(outstandingAtTill(basket, near)) ?? least(basket.totals.total) },
          },
    'cancel-checkout': ({ transactionId: id }) => (id === undefined ? NOT_AT_TILL : { api: apis['void-transaction-api'], params: { id } }),
  },
  customer: {
    register: ({ firstName = 'Ada', lastName = 'Byrne', email, phone }) =>
      email === undefined && phone === undefined
        ? 'Create Customer finds it by its e-mail or phone, and it has neither.'
        : { api: apis['create-customer-api'], body: { firstName, lastName, email, phone }, answersItself: true },
    'log-interaction': ({ id }) => ({ api: apis['log-interaction-api'], body: { customerId: id, type: 'visit' } }),
    enrol: ({ id }) => ({ api: apis['enroll-loyalty-member-api'], body: { customerId: id } }),
    change: ({ id, lastName = '' }) => ({
      api: changeCustomer,
      params: { id },
      body: { lastName: lastName === 'Byrne' ? 'Lang' : 'Byrne' },
    }),
    ...each(CustomerVerb.options, (verb) => at(moveCustomer, { verb })),
  },
  product: {
    change: ({ id, price }) => ({ api: changeProduct, params: { id }, body: { price: money(price.amount + 1, price.currency) } }),
    ...each(ProductVerb.options, (verb) => at(moveProduct, { verb })),
  },
};

/** A step outside the life cycle: what a client can do with an object without moving it. */
interface OtherStep {
  readonly step: string;
  readonly call: ApiId | ControlId;
  /** A further step that must be possible: the call of the step itself is only its first half. */
  readonly with?: string;
}

export const otherSteps = (type: string): readonly OtherStep[] => OTHER_STEPS[type] ?? [];

const OTHER_STEPS: Readonly<Record<string, readonly OtherStep[]>> = {
  order: [
    { step: 'pay', call: 'authorize-payment-api' },
    { step: 'pay-with-points', call: 'redeem-points-api', with: 'pay' },
    { step: 'change-address', call: 'change-order-api' },
    { step: 'change-delivery', call: 'change-order-api' },
    { step: 'change-place', call: 'change-order-api' },
    { step: 'change-method', call: 'change-order-api' },
  ],
  'fulfillment-order': [
    { step: 'report-start', call: 'update-picking-status-api' },
    { step: 'pay-at-counter', call: 'create-transaction-api' },
    { step: 'hand-over-to-person', call: 'hand-over-collection-api' },
    { step: 'hand-over-part', call: 'hand-over-collection-api' },
  ],
  shipment: [{ step: 'resend', call: 'resend-scan' }],
  basket: [
    { step: 'take-cash', call: 'add-payment-api' },
    { step: 'collect-in-store', call: 'checkout-basket-api' },
  ],
};

/** The calls that make an object take a verb or another step, or the reason why there is none. Undefined: only the estate makes it. */
export async function attemptsAt(
  { worlds, view: { world } }: Pick<ExplainScope, 'worlds' | 'view'>,
  subject: Subject,
  step: string,
): Promise<readonly PossibleCall[] | string | undefined> {
  const of = attempts[subject.type as ObjectType] as Attempts<never> | undefined;
  const api = apiOfVerb(subject.type, step);
  const attempt = (of?.[step] as Attempt<ObjectType> | undefined) ?? (api && at(apis[api]));
  if (!attempt) return undefined;
  const others = async (): Promise<Others> => {
    const [locations, skus] = await Promise.all([locationsOf(worlds, world), skusAfter(worlds, world, 0, MOST_SKUS)]);
    return { storeIds: locations.flatMap(({ type, id }) => (type === 'store' ? [id] : [])), skus };
  };
  const made = await attempt(subject.object as never, subject, others);
  if (typeof made === 'string') return made;
  return 'api' in made ? [made] : made;
}
