import type { Owner } from './applications.ts';
import { refundId } from './payment/refunds.ts';

/**
 * `step`: the next step of an object. `deadline`: what happens if nobody acts first. `repair`: finishes or undoes work, usually still
 * within the request, else after a crash or an outage.
 */
type DueRole = 'step' | 'deadline' | 'repair';

/** What a kind of due work does. */
export interface DueMeaning {
  readonly role: DueRole;
  /** Type of the object that the key names. Absent: the key names no business object. */
  readonly object?: string;
  /**
   * Keys under which items about an object are looked up. Default: its id. An item is also about the object when its key begins with
   * `<id>.`.
   */
  readonly keys?: (object: Readonly<Record<string, unknown>>) => readonly string[];
  /** A verb phrase after the name of the application: `cancels the order, unless it is confirmed first`. */
  readonly does: string;
}

const texts = (value: unknown): readonly string[] => (typeof value === 'string' ? [value] : []);

const about =
  (object: string, keys?: DueMeaning['keys']) =>
  (role: DueRole, does: string): DueMeaning => ({ role, object, keys, does });
/** Each refund has its own decision. The key of the decision contains the position of the refund. */
const refunds = about('payment', ({ id, refunds }) =>
  Array.isArray(refunds) ? refunds.map((_refund, place) => refundId(String(id), place)) : [],
);
/** A scan has its own key, which begins with the parcel's. */
const scans = about('shipment', () => []);
const other = (role: DueRole, does: string): DueMeaning => ({ role, does });

const basket = about('basket');
const sale = about('basket', ({ transactionId }) => texts(transactionId));
const order = about('order');
const idsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.flatMap(({ id }) => texts(id)) : []);
const replacement = about('order', ({ replacements }) => idsIn(replacements));
const payment = about('payment');
const reservation = about('reservation');
const fulfillment = about('fulfillment-order');
const picking = about('fulfillment-order', ({ pickingOrderId }) => texts(pickingOrderId));
const parcel = about('shipment');
const back = about('return');
const customer = about('customer');

/** The kinds of due work of every application, with the names that the store has. */
export const dueWork: { readonly [Application in Owner]?: Readonly<Record<string, DueMeaning>> } = {
  pos: {
    'abandon-opening': sale('repair', 'ends an interrupted checkout at the till'),
    'resolve-tender': sale('repair', 'reads whether a tender was taken'),
    'submit-order': sale('step', 'submits the order of the paid sale'),
    'capture-tenders': sale('deadline', 'captures the tenders of the paid sale, unless its order does so first'),
    'undo-sale': sale('repair', 'voids the tenders of the sale and releases its stock'),
    'expire-transaction': sale('deadline', 'cancels the sale, unless it is paid first'),
  },
  'ecommerce-platform': {
    'basket-idle': basket('deadline', 'abandons the basket, unless it changes first'),
    'checkout-ttl': basket('deadline', 'reopens the basket and releases its stock, unless it is ordered first'),
    'undo-checkout': basket('repair', 'undoes an interrupted checkout'),
    'place-order': basket('step', 'creates the order of the basket'),
    'release-holds': basket('repair', 'releases the stock of the basket'),
  },
  oms: {
    'undo-given-order': order('repair', 'undoes an interrupted creation of the order'),
    'finish-creation': basket('repair', 'finishes the creation of the order'),
    'pay-out-return': back('step', 'refunds the return'),
    'renew-authorization': payment('repair', 'renews the lost authorisation'),
    'finish-confirmation': order('repair', 'finishes the confirmation of the order'),
    'finish-change': order('repair', 'finishes the change of the order'),
    'finish-cancellation': order('repair', 'finishes the cancellation of the order'),
    'finish-carry-out': order('repair', 'finishes the sale at the till'),
    'expire-draft': order('deadline', 'cancels the draft, unless it is confirmed first'),
    'redeem-vouchers': order('repair', 'redeems the vouchers of the order'),
    compensate: order('repair', 'undoes the order at the other applications'),
    'release-holds': order('repair', 'releases surplus stock of the order'),
    'route-order': order('repair', 'creates the fulfillment orders'),
    'capture-payments': order('repair', 'captures the payments of the order'),
    'serve-short-lines': order('repair', 'finds other locations for units that were short'),
    'settle-order': order('repair', 'refunds what the order owes its customer'),
    'finish-replacement': replacement('repair', 'finishes the replacement'),
    'refund-lost-goods': fulfillment('deadline', 'refunds the lost goods, unless they are replaced or found first'),
    'give-up-uncovered': order('deadline', 'cancels the order, unless its payments cover the total first'),
    'take-exchange-credit': order('repair', 'takes the value of the return as a payment'),
    'refund-cancelled-units': order('repair', 'refunds missing units after a dispute, or after their refund failed'),
  },
  'payment-hub': {
    'approve-payment': payment('step', 'receives the approval of the provider'),
    'give-up-payment': payment('deadline', 'fails the payment, unless it is decided first'),
    'check-orphan': payment('repair', 'voids the payment if its order does not exist'),
    'expire-authorization': payment('deadline', 'voids the authorisation, unless it is captured first'),
    'give-back-points': other('repair', 'gives points back to a loyalty account'),
    'decide-refund': refunds('step', 'receives the decision of the provider on a pending refund'),
    'lose-dispute': payment('deadline', 'loses the dispute, unless it is decided first'),
  },
  sim: {
    'abort-hold': reservation('repair', 'undoes an interrupted reservation'),
    'expire-reservation': reservation('deadline', 'expires the reservation, unless it is confirmed first'),
    'give-back-stock': reservation('repair', 'releases the reserved stock'),
    'move-stock': other('repair', 'books a movement of reserved stock'),
  },
  'inventory-service': { 'finish-allocation': reservation('repair', 'finishes an allocation of stock') },
  fms: {
    allocate: fulfillment('step', 'allocates the stock'),
    'write-off': fulfillment('repair', 'writes off the units that were short'),
    'take-stock': fulfillment('repair', 'books the dispatched goods out of the stock'),
    'hand-over': fulfillment('repair', 'registers the parcel with the carrier'),
    'give-up-delivery': fulfillment('deadline', 'gives up the delivery and starts its refund, unless the carrier scans the parcel first'),
    'give-up-silent-parcel': parcel('deadline', 'counts the parcel as lost, unless the carrier scans it first'),
    'report-unit': fulfillment('repair', 'reports the goods of the collection to the carrier'),
    'remind-customer': fulfillment('deadline', 'reminds the customer of the collection, unless the goods are handed over first'),
    'give-up-collection': fulfillment(
      'deadline',
      'puts the goods back on the shelf and starts their refund, unless they are collected first',
    ),
    'return-refused': fulfillment('repair', 'returns the units that the customer refused at the counter'),
    'unlock-collection': fulfillment('step', 'accepts codes for the collection again'),
    restock: fulfillment('repair', 'puts the goods back into stock'),
    'undo-return': back('repair', 'undoes an interrupted return'),
    'return-step': back('step', 'takes the next step of the return'),
    'return-parcel': back('repair', 'registers the parcel of the return and its label'),
    'give-up-return': back('deadline', 'gives up the parcel of the return, unless it arrives first'),
    'finish-rejection': back('repair', 'finishes the rejection of the return'),
    'book-returned-stock': back('repair', 'books the returned goods into stock'),
    'put-back': other('repair', 'puts units back that a refused rejection took'),
    'settle-return': back('step', 'refunds the return'),
    'close-return': back('repair', 'ends the return at its order'),
  },
  wms: {
    'finish-opening': picking('repair', 'finishes the opening of the picking order'),
    'finish-move': picking('repair', 'finishes a step of the picking order'),
    'warehouse-step': fulfillment('step', 'takes the next step of picking, packing and dispatch'),
  },
  'carrier-platform': {
    'planned-scan': parcel('step', 'scans the parcel'),
    'give-up-parcel': parcel('deadline', 'reports the parcel as lost, unless it is scanned first'),
    'deliver-webhook': scans('repair', 'reports a scan to the FMS by webhook'),
  },
  'loyalty-platform': { 'return-redemption': other('deadline', 'returns the points of a redemption that paid for nothing') },
  crm: {
    idle: customer('deadline', 'moves the customer towards churned, unless the customer is active first'),
    'finish-enrolment': customer('repair', 'finishes an interrupted enrolment'),
  },
  gateway: {
    'take-events': other('repair', 'turns events into deliveries to registered webhooks'),
    'deliver-webhook': other('repair', 'delivers an event to a registered webhook'),
  },
};
