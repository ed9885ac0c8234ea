import type { BusinessObject, ObjectType, TypedApiId } from '../../rehearsal/call-types.ts';
import { isTransfer } from '../../shared/catalog/fulfillment/counter.ts';
import type { ReplacementReason } from '../../shared/catalog/order/replaced.ts';
import { money, moneyInWords } from '../../shared/domain/money.ts';
import type { OperationId } from '../data/data.ts';
import type { FieldHint, FieldHints, Input } from './form.ts';
import type { Near } from './near.tsx';
import { changeAddress, exchange, payAtCounter, payWithPoints, type Step, sellAtTill, startPicking } from './steps.ts';

/** What the pages add to a step of the explanation, or to a further call: words, defaults and exceptions. */
export interface ActionHints<O> {
  /** Default: the step. */
  readonly label?: string;
  /** What it would do. Default: the new state, or the summary of the call. */
  readonly does?: string | ((object: O) => string);
  /** A call outside the explanation. It is always possible. */
  readonly call?: TypedApiId | OperationId;
  /** Whether the console offers it for the object. Default: it does. */
  isFor?(object: O): boolean;
  /** An input that works. Default: the input of the step. */
  readonly input?: (object: O, near: Near) => Partial<Input>;
  /** Its fields, by their place in the body. Default: no form. */
  readonly fields?: FieldHints | ((object: O, near: Near, input: Input) => FieldHints);
  /** The calls whose members the fields are. Default: the call. */
  readonly members?: readonly TypedApiId[];
  /** The effect in words, from the answer to a dry run. With it, the form shows the effect before the act. */
  readonly preview?: (answer: unknown) => string;
  /** Default: one call with the input and the values of the form. */
  readonly steps?: (object: O, input: Input, inputOf: (step: string) => Input | undefined) => readonly Step[];
}

const ADDRESS = ['name', 'line1', 'line2', 'postalCode', 'city', 'region', 'country', 'phone'];
const ADDRESS_FIELDS: FieldHints = Object.fromEntries(ADDRESS.map((name) => [`shippingAddress/${name}`, {}]));
const SAMPLE_ADDRESS = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const MUG = { sku: 'mug-blue', qty: 1 };

const storesOf = ({ names: { locations } }: Near): Readonly<Record<string, string>> =>
  Object.fromEntries(locations.filter(({ type }) => type === 'store').map(({ id, name }) => [id, name]));

/** Hints for members with these names, in every form. */
export function commonHints(near: Near): FieldHints {
  const stores = storesOf(near);
  return {
    sku: { label: 'Product', isProduct: true },
    qty: { label: 'Units' },
    storeId: { label: 'Store', choices: stores },
    locationId: { label: 'Store', choices: stores },
    laneId: { label: 'Lane' },
    line1: { label: 'Street', hint: '' },
    line2: { label: 'Flat or floor', hint: '' },
    region: { hint: '' },
    postalCode: { hint: 'Required if the country has postal codes.' },
    country: { hint: 'Two letters, such as IE.' },
    phone: { hint: 'E.164, such as +353915550101.' },
    email: { label: 'E-mail', hint: '' },
    firstName: { hint: '' },
    lastName: { hint: '' },
  };
}

/** What a change of an order would give back, from the answer to its dry run. */
function differenceOf(answer: unknown): string {
  const { changes } = (answer ?? {}) as Partial<BusinessObject<'order'>>;
  const last = changes?.at(-1);
  if (!last) return 'It is possible.';
  const { before, after, refund, points } = last;
  const cost = `The order costs ${moneyInWords(after.total)} instead of ${moneyInWords(before.total)}`;
  const lost = points === undefined || points === 0 ? '' : `, and ${points} points less are earned`;
  return `${cost}: ${moneyInWords(refund)} are given back${lost}.`;
}

/** A field for a member of each line. */
const eachLine = <Line>(lines: readonly Line[], member: string, hint: (line: Line, place: number) => FieldHint): FieldHints =>
  Object.fromEntries(lines.map((line, place) => [`lines/${place}/${member}`, hint(line, place)]));

const linesIn = ({ body }: Input) => body['lines'] as readonly { readonly orderLineId: string; readonly qty: number }[];

const SHORTAGE: FieldHint = {
  label: 'Units that are missing when picked',
  hint: '',
  choices: { elsewhere: 'Come from another location', cancel: 'Are cancelled and refunded' },
};

const UP_TO_INPUT: FieldHint = { isAtMostInput: true };

export const DISPUTE_REASONS: Readonly<Record<string, string>> = {
  fraudulent: 'The cardholder did not pay',
  product_not_received: 'The goods did not arrive',
  product_unacceptable: 'The goods are not as described',
  duplicate: 'Paid twice',
  credit_not_processed: 'A refund did not arrive',
  general: 'Another reason',
};

const REPLACEMENT_REASONS: Readonly<Record<ReplacementReason, string>> = {
  damaged: 'Arrived damaged',
  wrong: 'Are other goods',
  missing: 'Were missing in the parcel',
  lost: 'Were lost with the parcel',
};

/**
 * By type of object, and by step: what the action does, or more hints, as the page lists them. Each further step that a client or the
 * outside world can take follows them without an entry.
 */
export const actionHints: { readonly [Type in ObjectType]?: Readonly<Record<string, string | ActionHints<BusinessObject<Type>>>> } = {
  order: {
    pay: {
      label: 'Authorise a payment',
      does: 'Reserves the money with the provider. The order can be confirmed once its total is covered.',
      fields: {
        'tender/type': { label: 'Pays with', choices: { card: 'Card', 'gift-card': 'Gift card', bnpl: 'Buy now, pay later' } },
        'tender/token': {
          hint: 'Token of the card or the gift card. The reference lists tokens that are declined.',
          onlyWith: { at: 'tender/type', is: ['card', 'gift-card'] },
        },
        amount: UP_TO_INPUT,
      },
    },
    'pay-with-points': {
      does: 'Turns points into money and pays with it.',
      isFor: ({ loyaltyAccountId }) => loyaltyAccountId !== undefined,
      fields: ({ totals }, { pointWorth }) => ({
        points: { isAtMostInput: true, hint: `A point pays ${moneyInWords(money(pointWorth, totals.total.currency))}.` },
      }),
      steps: payWithPoints,
    },
    confirm: 'Makes its reservation permanent, and creates its fulfillment orders.',
    route: 'Creates its fulfillment orders, one per location.',
    'open-return': {
      label: 'Take goods back',
      does: 'Registers a return. The customer is refunded after the goods are inspected.',
      fields: ({ lines, storeId, shippingAddress }, near, input) => {
        const skuOf = (id: string): string => lines.find(({ lineId }) => lineId === id)?.sku ?? id;
        const store = { store: 'The customer brings it to a store' };
        return {
          ...eachLine(linesIn(input), 'qty', ({ orderLineId: id }, place) => ({
            label: near.name(skuOf(id)),
            value: place === 0 ? 1 : 0,
            least: 0,
            isAtMostInput: true,
          })),
          'lines/*/reason': { hint: 'With the reason “damaged” the goods are scrapped.' },
          resolution: { label: 'The customer wants', choices: { refund: 'The money back', exchange: 'Other goods' } },
          dropOff: {
            label: 'It comes back',
            hint: '',
            choices: shippingAddress ? { carrier: 'By parcel, collected at the address', ...store } : store,
          },
          locationId: { value: storeId, hint: 'For goods that are brought to a store.', onlyWith: { at: 'dropOff', is: ['store'] } },
        };
      },
    },
    replace: {
      label: 'Send goods again',
      does: 'Sends goods in place of lost, missing, damaged or wrong ones, at no charge.',
      fields: ({ lines, storeId }, near, input) => ({
        ...eachLine(linesIn(input), 'qty', ({ orderLineId: id, qty }, place) => ({
          label: near.name(lines.find(({ lineId }) => lineId === id)?.sku ?? id),
          // A parcel is lost with all its goods. Of delivered goods, usually one is damaged.
          value: input.body['reason'] === 'lost' ? qty : place === 0 ? 1 : 0,
          least: 0,
          isAtMostInput: true,
        })),
        reason: { label: 'The goods', hint: '', choices: REPLACEMENT_REASONS },
        storeId: {
          label: 'The new goods',
          value: storeId,
          hint: 'A store that you choose hands them over immediately.',
          choices: { '': 'Are sent to the customer', ...storesOf(near) },
        },
      }),
    },
    change: {
      label: 'Order fewer units',
      does: 'Takes units away, and gives the customer back what the order costs less.',
      input: ({ lines }) => ({ body: { lines: lines.map(({ lineId, qty }) => ({ lineId, qty })) } }),
      fields: ({ lines }, near) =>
        eachLine(lines, 'qty', ({ sku, qty }) => ({ label: near.name(sku), hint: `Of ${qty}.`, value: qty, least: 0, most: qty })),
      preview: differenceOf,
    },
    'change-address': {
      label: 'Change the address',
      does: 'The goods go to another address. The price stays.',
      isFor: ({ shippingAddress }) => shippingAddress !== undefined,
      input: ({ shippingAddress = SAMPLE_ADDRESS }) => ({ body: { shippingAddress } }),
      fields: ADDRESS_FIELDS,
      preview: differenceOf,
    },
    'change-delivery': {
      label: 'Send it instead',
      does: 'The goods are sent to an address, and nobody collects them.',
      isFor: ({ collection }) => collection !== undefined,
      fields: ADDRESS_FIELDS,
      preview: differenceOf,
    },
    'change-place': {
      label: 'Collect it in a store',
      does: 'The customer collects the goods in this store.',
      fields: { 'collection/locationId': {}, 'collection/person': { label: 'Who may collect without the code', hint: '' } },
      preview: differenceOf,
    },
    'change-method': {
      label: 'Send it without haste',
      does: 'STANDARD in place of EXPRESS. The difference is given back.',
      isFor: ({ shippingMethod }) => shippingMethod === 'EXPRESS',
      fields: { shippingMethod: { choices: { STANDARD: 'STANDARD' } } },
      preview: differenceOf,
    },
    cancel: { does: 'Voids or refunds its payments, and releases its stock.', fields: { reason: {} } },
  },
  payment: {
    capture: {
      does: 'Takes the money, in full or in part. The rest of the authorisation is released.',
      fields: { amount: UP_TO_INPUT },
    },
    void: 'Releases the reserved money.',
    refund: {
      does: 'Pays money back to the customer, in full or in part.',
      fields: (_payment, near) => {
        const returns = near.of('return').map(({ id, label, state }) => [id, `the return over ${label}, ${state}`] as const);
        const returnId = { label: 'Pays for', hint: '', choices: { '': 'no return', ...Object.fromEntries(returns) } };
        return { amount: UP_TO_INPUT, reason: {}, ...(returns.length > 0 && { returnId }) };
      },
    },
    dispute: {
      does: 'The cardholder disputes it at the bank: the money and a fee are withdrawn.',
      fields: { reason: { choices: DISPUTE_REASONS, hint: '' }, amount: UP_TO_INPUT },
    },
    'win-dispute': {
      label: 'Win the dispute',
      does: 'The bank decides for the shop: the money comes back, the fee does not.',
    },
    'lose-dispute': { label: 'Lose the dispute', does: 'The bank decides for the cardholder, who keeps the money.' },
    'settle-refund': {
      label: 'Refund is paid out',
      does: 'Notes that the provider of an external payment has paid out a pending refund.',
      fields: { providerReference: {} },
    },
    'fail-refund': {
      label: 'Refund failed',
      does: 'Notes that the provider of an external payment has returned the money of a pending refund. It is owed again.',
      fields: { failureReason: {}, providerReference: {} },
    },
    authenticate: 'The customer approves the payment at 3-D Secure.',
    'fail-authentication': 'The customer rejects the payment at 3-D Secure. Another tender can pay.',
  },
  'fulfillment-order': {
    'start-picking': {
      does: 'Somebody in the warehouse begins to pick. From now on the payments of the order are captured.',
      steps: startPicking,
    },
    'report-start': { does: 'The warehouse has the order, and begins to pick.' },
    pick: { label: 'Pick everything', does: 'Every unit is found and taken from the shelf.' },
    'pick-nothing': {
      label: 'Pick short',
      does: 'Units are missing: they are written off, and served by another location or refunded.',
      fields: ({ lines }, near) =>
        eachLine(lines, 'pickedQty', ({ sku, qty }) => ({ label: `${near.name(sku)}: found`, value: qty - 1, most: qty })),
    },
    pack: 'Puts the picked units into a parcel.',
    dispatch: {
      does: (found) =>
        isTransfer(found)
          ? 'Hands the parcel to the carrier with a label, who brings it to the store.'
          : found.collection
            ? 'Puts the goods on the counter. The customer gets the code.'
            : 'Captures the payment, and hands the parcel to the carrier with a label.',
      fields: ({ collection, locationId }): FieldHints =>
        collection?.locationId === locationId
          ? {}
          : {
              service: {
                label: 'Service of the carrier',
                hint: '',
                choices: {
                  '': 'As the customer ordered',
                  EXPRESS: 'Express',
                  LOST: 'The carrier will lose it',
                  RTS: 'It will go back to the sender',
                  ATTEMPT3: 'Three attempts will fail',
                },
              },
            },
    },
    'hand-over': {
      label: 'Hand over',
      does: 'The customer shows the code, and gets the goods. The order is completed.',
      isFor: ({ collection }) => collection !== undefined,
      fields: { code: { label: 'Code of the customer', hint: '' } },
    },
    'hand-over-to-person': {
      label: 'Hand over to the named person',
      does: 'The person that the checkout named shows a document, and gets the goods. The order is completed.',
      isFor: ({ collection }) => collection?.person !== undefined,
    },
    'hand-over-part': {
      label: 'Hand over a part',
      does: 'The customer shows the code, and takes only some of the units. The others become a return that the store has received.',
      isFor: ({ collection }) => collection !== undefined,
      fields: ({ lines }, near, input) => ({
        code: { label: 'Code of the customer', hint: '' },
        ...eachLine(linesIn(input), 'qty', ({ orderLineId }) => {
          const { sku = '', pickedQty = 0 } = lines.find((line) => line.orderLineId === orderLineId) ?? {};
          return { label: `${near.name(sku)}: taken`, hint: '', least: 1, most: pickedQty };
        }),
      }),
    },
    'pay-at-counter': {
      label: 'Pay at the counter',
      does: 'A till of the store takes what is outstanding of the order, in cash. Then the goods can be handed over.',
      isFor: ({ collection }) => collection !== undefined,
      fields: { laneId: { hint: '' } },
      steps: payAtCounter,
    },
    extend: {
      label: 'Extend the collection',
      does: 'The goods wait longer at the counter. The last day is moved once.',
      isFor: ({ collection }) => collection !== undefined,
    },
  },
  shipment: {
    label: { label: 'Print the label', does: 'Gives the parcel its tracking number.' },
    resend: {
      label: 'Resend the newest scan',
      does: 'The carrier sends its webhook again with the same webhook-id, so that its receiver must recognise the repeat.',
    },
    collect: 'The carrier takes the parcel over.',
    depart: 'It leaves the depot.',
    'out-for-delivery': 'It is on the van.',
    hold: 'It waits at a depot until it is picked up.',
    deliver: { does: ({ kind }) => (kind === 'collection' ? 'It reaches the store, and waits at the counter.' : 'The customer has it.') },
    attempt: { does: ({ kind }) => (kind === 'collection' ? 'The store does not take it.' : 'Nobody opens the door.') },
    return: 'It goes back to the sender. An order is refunded.',
    lose: 'The carrier loses it. An order is refunded immediately.',
    find: {
      does: ({ kind }) =>
        kind === 'collection'
          ? 'It turns up, and reaches the store after all. The order is refunded, so its goods go to the shelf.'
          : 'It turns up, and is delivered after all.',
    },
  },
  return: {
    exchange: {
      label: 'Exchange it',
      does: 'The customer gets another product. Its order is paid with the value of the return, in full or in part.',
      call: 'create-order-api',
      isFor: ({ state, resolution }) => state === 'inspected' && resolution === 'exchange',
      members: ['create-basket-api', 'checkout-basket-api'],
      input: ({ orderId, customerId, lines }, near) => {
        const known = near.get('order', orderId)?.shippingAddress ?? near.get('customer', customerId)?.addresses[0];
        const qty = lines.reduce((sum, line) => sum + line.qty, 0);
        return { body: { lines: [{ ...MUG, qty }], shippingAddress: known ?? SAMPLE_ADDRESS } };
      },
      fields: { 'lines/0/sku': { label: 'Instead of it' }, 'lines/0/qty': {}, ...ADDRESS_FIELDS },
      steps: exchange,
    },
    approve: 'Customer service accepts the return.',
    reject: { does: 'Customer service refuses it. The customer keeps the goods.', fields: { reason: { hint: '' } } },
    receive: 'The goods arrive.',
    inspect: {
      does: 'The warehouse looks at the goods. The customer is refunded, or can order the other goods of an exchange.',
      fields: ({ lines }, near) => {
        const choices = { resellable: 'As new: back into stock', damaged: 'Damaged: scrapped' };
        return eachLine(lines, 'condition', ({ sku, qty }) => ({ label: `${qty} × ${near.name(sku)}`, choices }));
      },
    },
    'write-off': 'Its lost parcel is written off. The customer is refunded.',
  },
  basket: {
    'add-line': {
      label: 'Add goods',
      does: 'Adds units of a product, and prices the basket again.',
      fields: { sku: {}, qty: {} },
    },
    checkout: {
      label: 'Check out',
      does: 'Applies promotions and vouchers, and reserves the stock.',
      fields: (_basket, { names: { vouchers: known } }) => ({
        ...ADDRESS_FIELDS,
        shippingMethod: { label: 'Shipping', hint: '', choices: { STANDARD: 'Standard', EXPRESS: 'Express' } },
        voucherCodes: { label: 'Vouchers', hint: 'Codes, separated by blanks.', known },
        shortage: SHORTAGE,
        placeOrder: { label: 'And then', hint: '', value: true, choices: { true: 'Create the order', '': 'Wait' } },
      }),
    },
    'collect-in-store': {
      label: 'Check out to collect',
      does: 'The customer collects the goods in a store, which reserves them. Shipping is free.',
      fields: {
        'collection/locationId': {},
        'collection/person': { label: 'Who may collect it', hint: 'Without a name, only the code works.' },
        payAt: { label: 'Paid', hint: '', choices: { checkout: 'Now, by a payment of the order', collection: 'At a till of the store' } },
        shortage: SHORTAGE,
      },
    },
    'start-transaction': { label: 'Pay at the till', does: 'Opens a checkout in a store for its goods.', steps: sellAtTill },
    convert: {
      label: 'Create the order',
      does: 'Turns the basket into a draft order, which waits for its payment.',
      // A till creates the order of its basket itself.
      isFor: ({ transactionId }) => transactionId === undefined,
    },
    'take-cash': {
      does: 'Pays at the till, and gives change. Once the total is covered, the customer leaves with the goods.',
      isFor: ({ transactionId }) => transactionId !== undefined,
      fields: { amount: { label: 'Cash received' } },
    },
    'cancel-checkout': {
      label: 'Cancel the sale',
      does: 'Voids its payments, and releases its stock.',
      isFor: ({ transactionId }) => transactionId !== undefined,
    },
  },
  customer: {
    'open-basket': {
      label: 'Open a basket',
      does: 'The customer begins to shop.',
      call: 'create-basket-api',
      input: ({ id: customerId }) => ({ params: {}, body: { channel: 'web', customerId, lines: [MUG] } }),
      fields: { 'lines/0/sku': {}, 'lines/0/qty': {} },
    },
    'sell-at-till': {
      label: 'Sell at the till',
      does: 'Opens a checkout in a store. Its basket is paid there.',
      call: 'create-transaction-api',
      input: ({ loyaltyAccountId: loyaltyId }) => ({ params: {}, body: { laneId: 'SCO-01', loyaltyId, lines: [MUG] } }),
      fields: { storeId: {}, laneId: { hint: '' }, 'lines/0/sku': {}, 'lines/0/qty': {} },
      steps: sellAtTill,
    },
    'log-interaction': {
      label: 'Log a contact',
      does: 'Records that somebody spoke with the customer.',
      fields: {
        type: {
          label: 'Kind',
          hint: '',
          choices: { visit: 'Visit', 'styling-session': 'Styling session', callback: 'Callback' },
        },
        note: {},
      },
    },
    change: {
      label: 'Change the contact',
      does: 'Customer service corrects the name, the e-mail or the phone.',
      input: ({ firstName, lastName, email, phone }) => ({ body: { firstName, lastName, email, phone } }),
      fields: { firstName: {}, lastName: {}, email: {}, phone: {} },
    },
    'change-address': {
      label: 'Change the address',
      does: 'The next checkout offers it. Orders keep theirs.',
      call: 'change-customer-by-hand',
      members: ['checkout-basket-api'],
      input: ({ addresses: [shippingAddress = SAMPLE_ADDRESS] }) => ({ body: { shippingAddress } }),
      fields: ADDRESS_FIELDS,
      steps: changeAddress,
    },
    enrol: { label: 'Enrol as a member', does: 'Opens a loyalty account with a card.' },
    block: 'Customer service refuses further orders.',
    unblock: 'Customer service lets the customer order again.',
  },
  product: {
    change: {
      label: 'Change the price',
      does: 'The next checkout uses it. Orders keep theirs.',
      input: ({ price }) => ({ body: { price } }),
      fields: { price: { kind: 'money', least: 1 } },
    },
  },
  reservation: {
    confirm: { label: 'Make permanent', does: 'From now on it does not expire.' },
    release: 'Releases its stock for others.',
  },
  'loyalty-account': {
    'give-points': {
      label: 'Give points',
      does: 'Grants points as goodwill.',
      call: 'issue-loyalty-points-api',
      input: () => ({ body: { points: 100, reason: 'Goodwill' } }),
      fields: { points: {}, reason: {} },
    },
  },
};
