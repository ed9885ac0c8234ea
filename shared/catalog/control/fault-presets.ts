import type { FaultInput } from './faults.ts';

/** A ready-made fault with a business title. Its id becomes the name of the fault. */
interface FaultPreset {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  /** Effect on the caller. */
  readonly effect: string;
  readonly rule: FaultInput;
}

/** The most common faults, for the console and the command line. */
export const faultPresets = [
  {
    id: 'payment-hub-down',
    group: 'Payments',
    title: 'The Payment Hub is down',
    effect: 'Authorise, capture and refund answer 503 dependency_unavailable. A cancelled order keeps its refund for later.',
    rule: { match: { application: 'payment-hub' }, fault: { kind: 'outage' } },
  },
  {
    id: 'card-payments-slow',
    group: 'Payments',
    title: 'Card payments are slow',
    effect: 'Authorize Payment answers after three seconds. For a caller with a shorter timeout, the outcome is unknown.',
    rule: { match: { api: 'authorize-payment-api' }, fault: { kind: 'latency', ms: 3_000 } },
  },
  {
    id: 'capture-answer-lost',
    group: 'Payments',
    title: 'The answer to a capture is lost',
    effect: 'The next capture succeeds, but its caller gets 504. Repeated with the same Idempotency-Key, it returns the capture.',
    rule: { match: { api: 'capture-payment-api' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 },
  },
  {
    id: 'oms-down',
    group: 'Orders and customers',
    title: 'The OMS is down',
    effect: 'Create Order and Confirm Order answer 503. The till continues to sell, and submits its orders later.',
    rule: { match: { application: 'oms' }, fault: { kind: 'outage' } },
  },
  {
    id: 'till-down',
    group: 'Orders and customers',
    title: 'The till has no connection',
    effect: 'Create Transaction, Add Payment and Void Transaction answer 503. The web shop continues to sell.',
    rule: { match: { application: 'pos' }, fault: { kind: 'outage' } },
  },
  {
    id: 'promotions-fail',
    group: 'Orders and customers',
    title: 'The Promotion Engine answers with errors',
    effect: 'Evaluate Promotions and Validate Voucher answer 500.',
    rule: { match: { application: 'promotion-engine' }, fault: { kind: 'status', status: 500 } },
  },
  {
    id: 'loyalty-slow',
    group: 'Orders and customers',
    title: 'The Loyalty Platform is slow',
    effect:
      'Its answers take two seconds longer. A checkout waits 0.8 seconds, then continues without points. The 360 view of a customer waits two seconds.',
    rule: { match: { application: 'loyalty-platform' }, fault: { kind: 'latency', ms: 2_000 } },
  },
  {
    id: 'customer-lookups-break',
    group: 'Orders and customers',
    title: 'Customer look-ups break now and then',
    effect: 'About one of three connections to Get Customer breaks without an answer. The seed makes the sequence repeatable.',
    rule: { match: { api: 'get-customer-api' }, fault: { kind: 'drop' }, probability: 0.34, seed: 'monday' },
  },
  {
    id: 'access-token-expires',
    group: 'Orders and customers',
    title: 'The access token expires before an order is confirmed',
    effect:
      'The next Confirm Order with an access token answers 401, as with an expired one. All earlier access tokens have expired then; a new one works.',
    rule: { match: { api: 'confirm-order-api' }, fault: { kind: 'expired-token' }, times: 1 },
  },
  {
    id: 'order-answer-lost',
    group: 'Orders and customers',
    title: 'The answer to a new order is lost',
    effect: 'The next Create Order succeeds, but its caller gets 504. The same call with its reference returns the order.',
    rule: { match: { api: 'create-order-api' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 },
  },
  {
    id: 'change-answer-lost',
    group: 'Orders and customers',
    title: 'The answer to a change is lost',
    effect: 'The next Change Order succeeds, but its caller gets 504. The same call returns the changed order, and changes nothing.',
    rule: { match: { api: 'change-order-api' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 },
  },
  {
    id: 'allocation-fails-once',
    group: 'Stock and fulfilment',
    title: 'Stock allocation fails once',
    effect: 'The next allocation answers 503 and allocates nothing. The fault has ended then, so the FMS soon allocates again.',
    rule: { match: { api: 'allocate-inventory-api' }, fault: { kind: 'status', status: 503 }, times: 1 },
  },
  {
    id: 'last-unit-race',
    group: 'Stock and fulfilment',
    title: 'Two buyers reach the last unit together',
    effect:
      'The next reservation waits for a second one, and both run concurrently. For lamp-last-one, one of them gets 409 insufficient_stock.',
    rule: { match: { api: 'reserve-inventory-api' }, fault: { kind: 'barrier', parties: 2 }, times: 2 },
  },
  {
    id: 'carrier-unreachable',
    group: 'Stock and fulfilment',
    title: 'The carrier is unreachable',
    effect: 'Goods leave without a label: labelStatus is failed. Generate Shipping Label and Track Shipment answer 503.',
    rule: { match: { application: 'carrier-platform' }, fault: { kind: 'outage' } },
  },
  {
    id: 'replacement-answer-lost',
    group: 'Stock and fulfilment',
    title: 'The answer to a replacement is lost',
    effect:
      'The next Create Replacement succeeds, but its caller gets 504. Repeated with the same Idempotency-Key, it returns the replacement. Without the key, more goods are sent.',
    rule: { match: { api: 'create-replacement-api' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 },
  },
  {
    id: 'hand-over-answer-lost',
    group: 'Stock and fulfilment',
    title: 'The answer at the counter is lost',
    effect: 'The customer has the goods, but the caller of Hand Over Collection gets 504. The same call with the code returns the result.',
    rule: { match: { api: 'hand-over-collection-api' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 },
  },
  {
    id: 'order-events-twice',
    group: 'Events',
    title: 'Order events arrive twice',
    effect: 'Subscribers receive each order-confirmed twice, with the same id. Points must be earned once.',
    rule: { match: { event: 'order-confirmed' }, fault: { kind: 'duplicate', copies: 1 } },
  },
  {
    id: 'order-events-out-of-order',
    group: 'Events',
    title: 'Order events arrive out of order',
    effect:
      'order-created arrives after the next event about the same order, which may be an additional one (ext.order-changed). Its aggregateversion shows that it is older.',
    rule: { match: { event: 'order-created' }, fault: { kind: 'reorder', within: 'P1D' } },
  },
  {
    id: 'payment-events-late',
    group: 'Events',
    title: 'Payment events are late',
    effect: 'payment-authorized arrives ten minutes later on the rehearsal’s clock.',
    rule: { match: { event: 'payment-authorized' }, fault: { kind: 'late', by: 'PT10M' } },
  },
  {
    id: 'collection-messages-withheld',
    group: 'Events',
    title: 'The message that goods are ready does not arrive',
    effect: 'ext.collection-ready waits until this fault is deleted. The goods are at the counter, and their last day comes nearer.',
    rule: { match: { event: 'ext.collection-ready' }, fault: { kind: 'withhold' } },
  },
  {
    id: 'carrier-webhooks-lost',
    group: 'Carrier webhooks',
    title: 'Carrier webhooks are lost',
    effect: 'No scan reaches the estate until this fault is deleted. Track Shipment is ahead of the order.',
    rule: { match: { webhook: 'carrier' }, fault: { kind: 'withhold' } },
  },
  {
    id: 'carrier-webhooks-bad-signature',
    group: 'Carrier webhooks',
    title: 'Carrier webhooks have a bad signature',
    effect: 'The receiver answers 401, and the carrier sends the webhook again after 5 s, 5 min, 30 min and so on.',
    rule: { match: { webhook: 'carrier' }, fault: { kind: 'bad-signature' } },
  },
  {
    id: 'carrier-webhooks-stale',
    group: 'Carrier webhooks',
    title: 'Carrier webhooks are replayed too late',
    effect: 'The timestamp of each webhook is six minutes old. The receiver answers 401, and the carrier sends the webhook again.',
    rule: { match: { webhook: 'carrier' }, fault: { kind: 'stale-timestamp' } },
  },
] as const satisfies readonly FaultPreset[];
export type FaultPresetId = (typeof faultPresets)[number]['id'];
