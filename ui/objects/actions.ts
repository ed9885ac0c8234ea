import type { ApiInput, BusinessObject, ObjectType, TypedApiId } from '../../rehearsal/call-types.ts';
import { outstandingAtTill, outstandingOf, payablePoints, returnable } from '../../shared/catalog/nearby.ts';
import { refundableOf } from '../../shared/catalog/payment/cover.ts';
import { decimalsOf, type Money, majorUnits, money, moneyInWords } from '../../shared/domain/money.ts';
import { apis } from '../data/catalog.ts';
import { callApi, here, type Input, type OperationId, type Output, tracedControl, whyNoCall } from '../data/data.ts';
import type { Move } from '../life-cycle/life-cycle-graph.ts';
import type { Near } from './near.tsx';

/** What a form contains, by the name of the field. */
export type Values = Readonly<Record<string, string>>;

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly choices?: readonly (readonly [value: string, words: string])[];
  /** A number from `least` to `most`. `decimals`: an amount of money in minor units, with the decimals of its currency. */
  readonly number?: { readonly least: number; readonly most: number; readonly decimals?: number };
  /** The currency of an amount. */
  readonly currency?: string;
  readonly isOptional?: true;
  /** The member of the request, a list, that gets the value as an entry. */
  readonly entryOf?: string;
  /** A SKU, chosen by the name of its product. */
  readonly isProduct?: true;
  /** Values that are offered while the text is typed, each with its name. */
  readonly known?: readonly { readonly id: string; readonly name: string }[];
}

/** What a step caused. */
export interface Outcome {
  readonly correlationId: string | undefined;
  /** The object that it has made. */
  readonly made?: { readonly type: ObjectType; readonly id: string };
}

/** @throws Refusal */
type Step = () => Promise<Outcome>;

/** What can be done with an object. */
export interface Action {
  readonly label: string;
  /** What it would do. */
  readonly does: string;
  /** Why it is not possible now. */
  readonly obstacle: string | undefined;
  /** The fields of its form. Without fields, no form opens. */
  readonly fields: readonly Field[];
  readonly steps: (values: Values) => readonly Step[];
}

interface Declared<O> {
  readonly label: string;
  readonly does: string;
  /** The API of its call. Without one, the outside world acts. */
  readonly api?: TypedApiId;
  /** The verb of the life cycle, or another step, whose verdict is in the explanation of the object. Without one, it is always possible. */
  readonly step?: string;
  /** Whether the console offers it for the object. Default: it does. */
  isFor?(object: O): boolean;
  /** The operation that plays the outside world, with the id of the object and the values of the form. */
  readonly play?: OperationId;
  readonly fields?: (object: O, near: Near) => readonly Field[];
  /** Default: one call with the id of the object and the values of the form. */
  readonly steps?: (object: O, values: Values, near: Near) => readonly Step[];
}

/** @param makes the type of the object in the answer, when it is a new one */
const call =
  <Id extends TypedApiId>(id: Id, input: ApiInput<Id>, makes?: ObjectType): Step =>
  async () => {
    const { body, correlationId } = await callApi(id, input);
    return { correlationId, made: makes && { type: makes, id: (body as { readonly id: string }).id } };
  };

/** An operation of the control plane that plays the outside world. */
const play =
  <Id extends OperationId>(id: Id, input: Input<Id>): Step =>
  async () =>
    tracedControl(id, input);

/** Cash may be more than the total, because the till gives change. In minor units. */
const MOST_CASH = 9_999_999;

const amountField = (label: string, { amount, currency }: Money, most = amount, name = 'amount'): Field => ({
  name,
  label,
  value: majorUnits({ amount, currency }),
  number: { least: 1, most: Math.max(1, most), decimals: decimalsOf(currency) },
  currency,
});
const amountOf = ({ amount = '' }: Values, { currency }: Pick<Money, 'currency'>): Money =>
  money(Math.round(Number(amount) * 10 ** decimalsOf(currency)), currency);

const text = (name: string, label: string, value = '', hint?: string): Field => ({ name, label, value, hint });
const optional = (name: string, label: string, hint?: string, value = ''): Field => ({ name, label, value, hint, isOptional: true });
const choice = (name: string, label: string, ...choices: readonly (readonly [string, string])[]): Field => ({
  name,
  label,
  value: choices[0]?.[0] ?? '',
  choices,
});
const units = (name: string, label: string, value: number, least: number, most: number): Field => ({
  name,
  label,
  value: String(value),
  number: { least, most },
});
const product = (label = 'Product'): Field => ({ name: 'sku', label, value: 'mug-blue', isProduct: true });
const store = (name: string, { names: { locations } }: Near, hint?: string, value?: string): Field => {
  const stores = locations.filter(({ type }) => type === 'store').map((one) => [one.id, one.name] as const);
  return { ...choice(name, 'Store', ...stores), hint, value: value ?? stores[0]?.[0] ?? '' };
};
const unitsIn = (lines: readonly { readonly qty: number }[]): number => lines.reduce((sum, { qty }) => sum + qty, 0);
/** An optional text of a request. */
const given = (value: string | undefined): string | undefined => value?.trim() || undefined;

/** A body with a member for each field. */
const bodyFrom = (fields: readonly Field[], values: Values): object =>
  Object.fromEntries(
    fields.map(({ name, number, currency }) => {
      const typed = values[name];
      if (currency !== undefined) return [name, amountOf({ amount: typed ?? '' }, { currency })];
      return [name, number ? Number(typed) : given(typed)];
    }),
  );

type Order = BusinessObject<'order'>;
type FulfillmentOrder = BusinessObject<'fulfillment-order'>;

const picking = ({ pickingOrderId: id = '' }: FulfillmentOrder, body: ApiInput<'update-picking-status-api'>['body']): Step =>
  call('update-picking-status-api', { params: { id }, body });

type ShippingAddress = NonNullable<Order['shippingAddress']>;

const addressFields = (address: ShippingAddress = SAMPLE_ADDRESS): readonly Field[] => [
  text('name', 'Name', address.name),
  text('line1', 'Street', address.line1),
  optional('line2', 'Flat or floor', undefined, address.line2),
  optional('postalCode', 'Postal code', 'Required if the country has postal codes.', address.postalCode),
  text('city', 'City', address.city),
  optional('region', 'Region', undefined, address.region),
  text('country', 'Country', address.country, 'Two letters, such as IE.'),
  optional('phone', 'Phone', 'E.164, such as +353915550101.', address.phone),
];

const addressOf = (values: Values): ShippingAddress => bodyFrom(addressFields(), values) as ShippingAddress;

const SAMPLE_ADDRESS: ShippingAddress = {
  name: 'Ada Byrne',
  line1: '1 Quay Street',
  city: 'Galway',
  postalCode: 'H91',
  country: 'IE',
};

/** Makes a basket of the customer, checks it out, and turns it into an order that the return pays for. */
const exchange =
  (
    { id, customerId }: BusinessObject<'return'>,
    line: { readonly sku: string; readonly qty: number },
    shippingAddress: ShippingAddress,
  ): Step =>
  async () => {
    const { body: basket } = await callApi('create-basket-api', { body: { channel: 'web', customerId, lines: [line] } });
    await callApi('checkout-basket-api', { params: { id: basket.id }, body: { shippingAddress } });
    return call('create-order-api', { body: { basketId: basket.id, exchangeForReturnId: id } }, 'order')();
  };

export const DISPUTE_REASONS = [
  ['fraudulent', 'The cardholder did not pay'],
  ['product_not_received', 'The goods did not arrive'],
  ['product_unacceptable', 'The goods are not as described'],
  ['duplicate', 'Paid twice'],
  ['credit_not_processed', 'A refund did not arrive'],
  ['general', 'Another reason'],
] as const;

/** Actions that call an API, by type of object. Those that play the outside world follow from the life cycles. */
const declared: { readonly [Type in ObjectType]?: readonly Declared<BusinessObject<Type>>[] } = {
  order: [
    {
      label: 'Authorise a payment',
      does: 'Reserves the money with the provider. The order can be confirmed once its total is covered.',
      api: 'authorize-payment-api',
      step: 'pay',
      fields: (order, near) => [
        choice('type', 'Pays with', ['card', 'Card'], ['gift-card', 'Gift card'], ['bnpl', 'Buy now, pay later']),
        text('token', 'Token', 'tok_visa', 'Token of the card or the gift card. The reference lists tokens that are declined.'),
        amountField('Amount', outstandingOf(order, near)),
      ],
      steps: ({ id, totals }, { type = 'card', token, ...values }) => [
        call(
          'authorize-payment-api',
          {
            body: {
              orderId: id,
              tender: { type: type as 'card', token: type === 'bnpl' ? undefined : given(token) },
              amount: amountOf(values, totals.total),
            },
          },
          'payment',
        ),
      ],
    },
    {
      label: 'Pay with points',
      does: 'Turns points into money and pays with it.',
      api: 'redeem-points-api',
      step: 'pay-with-points',
      isFor: ({ loyaltyAccountId }) => loyaltyAccountId !== undefined,
      fields: (order, near) => [
        {
          ...units('points', 'Points', payablePoints(order, near), 1, payablePoints(order, near)),
          hint: `A point pays ${moneyInWords(money(near.pointWorth, order.totals.total.currency))}.`,
        },
      ],
      steps: (order, { points }, near) => [
        async () => {
          const { id: orderId, loyaltyAccountId: id = '' } = order;
          const { body } = await callApi('redeem-points-api', { params: { id }, body: { points: Number(points), orderId } });
          const { id: token, value } = body.redemption;
          const outstanding = outstandingOf(order, near);
          const amount = value.amount > outstanding.amount ? outstanding : value;
          return call('authorize-payment-api', { body: { orderId, tender: { type: 'loyalty', token }, amount } })();
        },
      ],
    },
    {
      label: 'Confirm',
      does: 'Makes its reservation permanent, and creates its fulfillment orders.',
      api: 'confirm-order-api',
      step: 'confirm',
    },
    {
      label: 'Route',
      does: 'Creates its fulfillment orders, one per location.',
      api: 'route-order-api',
      step: 'route',
    },
    {
      label: 'Take goods back',
      does: 'Registers a return. The customer is refunded after the goods are inspected.',
      api: 'create-return-api',
      step: 'open-return',
      fields: ({ lines, storeId, shippingAddress }, near) => {
        const left = lines.map((line) => ({ ...line, left: returnable(line, near) })).filter((line) => line.left > 0);
        const ways = [['carrier', 'By parcel, collected at the address'] as const, ['store', 'The customer brings it to a store'] as const];
        return [
          ...left.map(({ lineId, sku, left: most }, place) => ({
            ...units(lineId, near.name(sku), place === 0 ? 1 : 0, 0, most),
            entryOf: 'lines',
          })),
          text('reason', 'Reason', 'Changed my mind', 'With the reason “damaged” the goods are scrapped.'),
          choice('resolution', 'The customer wants', ['refund', 'The money back'], ['exchange', 'Other goods']),
          choice('dropOff', 'It comes back', ...(shippingAddress ? ways : ways.slice(1))),
          store('locationId', near, 'For goods that are brought to a store.', storeId),
        ];
      },
      steps: ({ id, lines }, { reason = '', resolution, dropOff, locationId, ...values }) => [
        call(
          'create-return-api',
          {
            body: {
              orderId: id,
              lines: lines.flatMap(({ lineId }) =>
                Number(values[lineId]) > 0 ? [{ orderLineId: lineId, qty: Number(values[lineId]), reason }] : [],
              ),
              resolution: resolution as 'refund',
              dropOff: dropOff as 'store',
              locationId: dropOff === 'store' ? locationId : undefined,
            },
          },
          'return',
        ),
      ],
    },
    {
      label: 'Cancel',
      does: 'Voids or refunds its payments, and releases its stock.',
      api: 'cancel-order-api',
      step: 'cancel',
      fields: () => [optional('reason', 'Reason')],
    },
  ],
  payment: [
    {
      label: 'Capture',
      does: 'Takes the money, in full or in part. The rest of the authorisation is released.',
      api: 'capture-payment-api',
      step: 'capture',
      fields: ({ authorizedAmount }) => [amountField('Amount', authorizedAmount)],
    },
    {
      label: 'Void',
      does: 'Releases the reserved money.',
      api: 'void-payment-api',
      step: 'void',
    },
    {
      label: 'Refund',
      does: 'Pays money back to the customer, in full or in part.',
      api: 'refund-payment-api',
      step: 'refund',
      fields: (payment, near) => {
        const returns = near.of('return').map(({ id, label, state }) => [id, `the return over ${label}, ${state}`] as const);
        return [
          amountField('Amount', refundableOf(payment)),
          optional('reason', 'Reason'),
          ...(returns.length > 0 ? [choice('returnId', 'Pays for', ['', 'no return'], ...returns)] : []),
        ];
      },
    },
    {
      label: 'Dispute',
      does: 'The cardholder disputes it at the bank: the money and a fee are withdrawn.',
      play: 'open-dispute',
      step: 'dispute',
      fields: (payment) => [choice('reason', 'Reason', ...DISPUTE_REASONS), amountField('Amount', refundableOf(payment))],
    },
    {
      label: 'Win the dispute',
      does: 'The bank decides for the shop: the money comes back, the fee does not.',
      step: 'win-dispute',
      steps: ({ id }) => [play('close-dispute', { params: { id }, body: { outcome: 'won' } })],
    },
    {
      label: 'Lose the dispute',
      does: 'The bank decides for the cardholder, who keeps the money.',
      step: 'lose-dispute',
      steps: ({ id }) => [play('close-dispute', { params: { id }, body: { outcome: 'lost' } })],
    },
  ],
  'fulfillment-order': [
    {
      label: 'Start picking',
      does: 'Somebody in the warehouse begins to pick. From now on the payments of the order are captured.',
      api: 'create-picking-order-api',
      step: 'start-picking',
      steps: ({ id }) => [call('create-picking-order-api', { body: { fulfillmentOrderId: id } })],
    },
    {
      label: 'Pick everything',
      does: 'Every unit is found and taken from the shelf.',
      api: 'update-picking-status-api',
      step: 'pick',
      steps: (order) => [picking(order, { status: 'started' }), picking(order, { status: 'picked' })],
    },
    {
      label: 'Pick short',
      does: 'Units are missing: they are written off, and served by another location or refunded.',
      api: 'update-picking-status-api',
      step: 'pick',
      fields: ({ lines }, near) =>
        lines.map(({ orderLineId, sku, qty }) => units(orderLineId, `${near.name(sku)}: found`, qty - 1, 0, qty)),
      steps: (order, values) => [
        picking(order, { status: 'started' }),
        picking(order, {
          status: 'short',
          lines: order.lines.map(({ orderLineId }) => ({ orderLineId, pickedQty: Number(values[orderLineId]) })),
        }),
      ],
    },
    {
      label: 'Pack',
      does: 'Puts the picked units into a parcel.',
      api: 'update-picking-status-api',
      step: 'pack',
      steps: (order) => [picking(order, { status: 'packed' })],
    },
    {
      label: 'Dispatch',
      does: 'Captures the payment, and hands the parcel to the carrier with a label.',
      api: 'dispatch-fulfillment-order-api',
      step: 'dispatch',
      fields: () => [
        choice(
          'service',
          'Service of the carrier',
          ['', 'As the customer ordered'],
          ['EXPRESS', 'Express'],
          ['LOST', 'The carrier will lose it'],
          ['RTS', 'It will go back to the sender'],
          ['ATTEMPT3', 'Three attempts will fail'],
        ),
      ],
    },
  ],
  shipment: [
    {
      label: 'Print the label',
      does: 'Gives the parcel its tracking number.',
      api: 'generate-label-api',
      step: 'label',
    },
    {
      label: 'Resend the newest scan',
      does: 'The carrier sends its webhook again with the same webhook-id, so that its receiver must recognise the repeat.',
      step: 'resend',
      play: 'resend-scan',
    },
  ],
  return: [
    {
      label: 'Exchange it',
      does: 'The customer gets another product. Its order is paid with the value of the return, in full or in part.',
      api: 'create-order-api',
      isFor: ({ state, resolution }) => state === 'inspected' && resolution === 'exchange',
      fields: ({ orderId, customerId, lines }, near) => [
        product('Instead of it'),
        units('qty', 'Units', unitsIn(lines), 1, 9999),
        ...addressFields(near.get('order', orderId)?.shippingAddress ?? near.get('customer', customerId)?.addresses[0]),
      ],
      steps: (back, { sku = '', qty, ...address }) => [exchange(back, { sku, qty: Number(qty) }, addressOf(address))],
    },
  ],
  basket: [
    {
      label: 'Add goods',
      does: 'Adds units of a product, and prices the basket again.',
      api: 'add-line-to-basket-api',
      step: 'add-line',
      fields: () => [product(), units('qty', 'Units', 1, 1, 9999)],
    },
    {
      label: 'Check out',
      does: 'Applies promotions and vouchers, and reserves the stock.',
      api: 'checkout-basket-api',
      step: 'checkout',
      fields: ({ shippingAddress, customerId }, near) => [
        ...addressFields(shippingAddress ?? near.get('customer', customerId)?.addresses[0]),
        choice('method', 'Shipping', ['STANDARD', 'Standard'], ['EXPRESS', 'Express']),
        { ...optional('vouchers', 'Vouchers', 'Codes, separated by blanks.'), entryOf: 'voucherCodes', known: near.names.vouchers },
        choice('placeOrder', 'And then', ['yes', 'Create the order'], ['', 'Wait']),
      ],
      steps: ({ id }, { method, vouchers = '', placeOrder, ...address }) => [
        call('checkout-basket-api', {
          params: { id },
          body: {
            shippingAddress: addressOf(address),
            shippingMethod: method as 'STANDARD',
            voucherCodes: vouchers.split(/\s+/).filter(Boolean),
            placeOrder: placeOrder === 'yes',
          },
        }),
      ],
    },
    {
      label: 'Create the order',
      does: 'Turns the basket into a draft order, which waits for its payment.',
      api: 'create-order-api',
      step: 'convert',
      // A till creates the order of its basket itself.
      isFor: ({ transactionId }) => transactionId === undefined,
      steps: ({ id }) => [call('create-order-api', { body: { basketId: id } }, 'order')],
    },
    {
      label: 'Take cash',
      does: 'Pays at the till, and gives change. Once the total is covered, the customer leaves with the goods.',
      api: 'add-payment-api',
      step: 'take-cash',
      isFor: ({ transactionId }) => transactionId !== undefined,
      fields: (sale, near) => [amountField('Cash received', outstandingAtTill(sale, near), MOST_CASH)],
      steps: ({ transactionId: id = '', totals }, values) => [
        call('add-payment-api', { params: { id }, body: { tender: { type: 'cash' }, amount: amountOf(values, totals.total) } }),
      ],
    },
    {
      label: 'Cancel the sale',
      does: 'Voids its payments, and releases its stock.',
      api: 'void-transaction-api',
      step: 'cancel-checkout',
      isFor: ({ transactionId }) => transactionId !== undefined,
      steps: ({ transactionId: id = '' }) => [call('void-transaction-api', { params: { id } })],
    },
  ],
  customer: [
    {
      label: 'Open a basket',
      does: 'The customer begins to shop.',
      api: 'create-basket-api',
      fields: () => [product(), units('qty', 'Units', 1, 1, 9999)],
      steps: ({ id }, { sku = '', qty }) => [
        call('create-basket-api', { body: { channel: 'web', customerId: id, lines: [{ sku, qty: Number(qty) }] } }, 'basket'),
      ],
    },
    {
      label: 'Sell at the till',
      does: 'Opens a checkout in a store. Its basket is paid there.',
      api: 'create-transaction-api',
      fields: (_customer, near) => [store('storeId', near), text('laneId', 'Lane', 'SCO-01'), product(), units('qty', 'Units', 1, 1, 9999)],
      steps: ({ loyaltyAccountId: loyaltyId }, { storeId = '', laneId = '', sku = '', qty }) => [
        async () => {
          const sale = { storeId, laneId, lines: [{ sku, qty: Number(qty) }], loyaltyId };
          const { body, correlationId } = await callApi('create-transaction-api', { body: sale });
          return { correlationId, made: { type: 'basket', id: body.basketId } };
        },
      ],
    },
    {
      label: 'Log a contact',
      does: 'Records that somebody spoke with the customer.',
      api: 'log-interaction-api',
      step: 'log-interaction',
      fields: () => [
        choice('type', 'Kind', ['visit', 'Visit'], ['styling-session', 'Styling session'], ['callback', 'Callback']),
        optional('note', 'Note'),
      ],
      steps: ({ id }, { type, note }) => [
        call('log-interaction-api', { body: { customerId: id, type: type as 'visit', note: given(note) } }),
      ],
    },
    {
      label: 'Change the contact',
      does: 'Customer service corrects the name, the e-mail or the phone.',
      play: 'change-customer-by-hand',
      fields: ({ firstName, lastName, email, phone }) => [
        optional('firstName', 'First name', undefined, firstName),
        optional('lastName', 'Last name', undefined, lastName),
        optional('email', 'E-mail', undefined, email),
        optional('phone', 'Phone', 'E.164, such as +353915550101.', phone),
      ],
    },
    {
      label: 'Change the address',
      does: 'The next checkout offers it. Orders keep theirs.',
      fields: ({ addresses: [address] }) => addressFields(address),
      steps: ({ id, addresses: [_changed, ...others] }, values) => [
        play('change-customer-by-hand', { params: { id }, body: { addresses: [addressOf(values), ...others] } }),
      ],
    },
    {
      label: 'Enrol as a member',
      does: 'Opens a loyalty account with a card.',
      api: 'enroll-loyalty-member-api',
      step: 'enrol',
      steps: ({ id }) => [call('enroll-loyalty-member-api', { body: { customerId: id } })],
    },
  ],
  product: [
    {
      label: 'Change the price',
      does: 'The next checkout uses it. Orders keep theirs.',
      play: 'change-product-by-hand',
      fields: ({ price }) => [amountField('Price', price, MOST_CASH, 'price')],
    },
  ],
  reservation: [
    {
      label: 'Make permanent',
      does: 'From now on it does not expire.',
      api: 'confirm-reservation-api',
      step: 'confirm',
    },
    {
      label: 'Release',
      does: 'Releases its stock for others.',
      api: 'release-reservation-api',
      step: 'release',
    },
  ],
  'loyalty-account': [
    {
      label: 'Give points',
      does: 'Grants points as goodwill.',
      api: 'issue-loyalty-points-api',
      fields: () => [units('points', 'Points', 100, 1, 999_999), text('reason', 'Reason', 'Goodwill')],
    },
  ],
};

/** What the outside world does, by type and verb. For a missing verb, the new state is shown. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'shipment collect': 'The carrier takes the parcel over.',
  'shipment depart': 'It leaves the depot.',
  'shipment out-for-delivery': 'It is on the van.',
  'shipment hold': 'It waits at a depot until it is picked up.',
  'shipment deliver': 'The customer has it.',
  'shipment attempt': 'Nobody opens the door.',
  'shipment return': 'It goes back to the sender. An order is refunded.',
  'shipment lose': 'The carrier loses it. An order is refunded immediately.',
  'shipment find': 'It turns up, and is delivered after all.',
  'return approve': 'Customer service accepts the return.',
  'return reject': 'Customer service refuses it. The customer keeps the goods.',
  'return receive': 'The goods arrive.',
  'return inspect': 'The warehouse looks at the goods. The customer is refunded, or can order the other goods of an exchange.',
  'return write-off': 'Its lost parcel is written off. The customer is refunded.',
  'payment authenticate': 'The customer approves the payment at 3-D Secure.',
  'payment fail-authentication': 'The customer rejects the payment at 3-D Secure. Another tender can pay.',
  'customer block': 'Customer service refuses further orders.',
  'customer unblock': 'Customer service lets the customer order again.',
};

const outsideFields = (verb: string, object: { readonly lines?: BusinessObject<'return'>['lines'] }, near: Near): readonly Field[] => {
  if (verb === 'reject') return [text('reason', 'Reason', 'Worn')];
  if (verb !== 'inspect') return [];
  return (object.lines ?? []).map(({ orderLineId, sku, qty }) =>
    choice(orderLineId, `${qty} × ${near.name(sku)}`, ['resellable', 'As new: back into stock'], ['damaged', 'Damaged: scrapped']),
  );
};

/** The body of an operation that plays a verb. */
function bodyOf(verb: string, { reason, ...conditions }: Values): object {
  if (verb === 'reject') return { reason };
  if (verb === 'authenticate') return { outcome: 'succeeded' };
  if (verb === 'fail-authentication') return { outcome: 'failed' };
  if (verb !== 'inspect') return {};
  return { lines: Object.entries(conditions).map(([orderLineId, condition]) => ({ orderLineId, condition })) };
}

type Explanation = Output<'explain-object'>;

interface Acted {
  readonly type: string;
  readonly id: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** The verbs of the life cycle that the outside world plays. */
  readonly moves: readonly Move[];
  /** Its verdicts are the verdicts of the applications. */
  readonly explanation: Pick<Explanation, 'state' | 'moves' | 'steps'> | undefined;
  readonly near: Near;
  /** Why an application cannot act now. */
  readonly whyNot: (application: string | undefined) => string | undefined;
}

/** What can be done with an object, and why the rest is not possible now. Possible actions come first. */
export function actionsOf({ type, id, object, moves, explanation, near, whyNot }: Acted): readonly Action[] {
  const verdicts = [...(explanation?.moves ?? []).map((move) => ({ ...move, step: move.verb })), ...(explanation?.steps ?? [])];
  /** A fault does not disable an action, because somebody may want to see it strike. */
  const obstacleAt = (step: string): string | undefined => {
    const { possible = true, code, why } = verdicts.find((one) => one.step === step) ?? {};
    return possible || code === 'fault' ? undefined : why;
  };
  const offered = ((declared[type as ObjectType] ?? []) as readonly Declared<unknown>[]).filter(({ isFor }) => isFor?.(object) ?? true);
  const called = offered.map((action): Action => {
    const { label, does, api, play: operation, step, steps } = action;
    const whyNoAct = api === undefined ? whyNot(undefined) : (whyNoCall(here(), api) ?? whyNot(apis[api]?.application));
    const obstacle = (step && obstacleAt(step)) ?? whyNoAct;
    const fields = obstacle === undefined ? (action.fields?.(object, near) ?? []) : [];
    const stepsOf = (values: Values): readonly Step[] => {
      if (steps) return steps(object, values, near);
      const input = { params: { id }, body: bodyFrom(fields, values) } as never;
      return [...(api ? [call(api, input)] : []), ...(operation ? [play(operation, input)] : [])];
    };
    return { label, does, obstacle, fields, steps: stepsOf };
  });
  const controlled = moves.filter((move) => move.control !== undefined);
  const played = [...Map.groupBy(controlled, ({ verb }) => verb)].map(([verb, same]): Action => {
    const operation = same[0]?.control as OperationId;
    const to = [...new Set(same.filter(({ from }) => from === explanation?.state).map((move) => move.to))];
    const does = OUTSIDE[`${type} ${verb}`] ?? `It becomes ${to.join(' or ')}.`;
    return {
      label: verb.charAt(0).toUpperCase() + verb.slice(1).replaceAll('-', ' '),
      does,
      obstacle: obstacleAt(verb) ?? whyNot(undefined),
      fields: outsideFields(verb, object, near),
      // The operation for scans names its parameter `scan`.
      steps: (values) => [play(operation, { params: { id, verb, scan: verb }, body: bodyOf(verb, values) } as never)],
    };
  });
  return [...called, ...played].toSorted((one, other) => Number(one.obstacle !== undefined) - Number(other.obstacle !== undefined));
}
