/** Common problems of systems of this kind. Each has at least one scenario. */
export const pains = {
  'split-tender': 'the second of several tenders is declined, and the first has to be reversed',
  'partial-fulfilment': 'an order ships in parts, or a part of it is missing',
  'last-unit': 'many buyers request the last unit at the same time',
  'duplicate-webhooks': 'a webhook arrives twice, late, or forged',
  'out-of-order-events': 'events arrive out of order or twice',
  'unknown-outcome': 'an operation succeeds, but its answer is lost',
  'hold-expires': 'the reservation expires between payment and confirmation',
  'over-refund': 'two concurrent refunds together exceed the payment',
  'loyalty-down': 'the Loyalty Platform is down at checkout, and back later',
  'lost-parcel': 'a parcel is lost and found, or comes back',
} as const;

export type Pain = keyof typeof pains;
