/** What hurts in systems of this kind, as those who run them report it: each can be rehearsed. */
export const pains = {
  'split-tender': 'the second of several tenders is declined, and the first has to go back',
  'partial-fulfilment': 'an order leaves in parts, or a part of it is not there',
  'last-unit': 'many want the last unit at once',
  'duplicate-webhooks': 'a webhook comes twice, or late, or forged',
  'out-of-order-events': 'events come in another order than they happened, or twice',
  'unknown-outcome': 'the work is done and its answer is lost',
  'hold-expires': 'the hold runs out between payment and confirmation',
  'over-refund': 'two refunds at once are more than what was paid',
  'loyalty-down': 'the Loyalty Platform is down at checkout, and back later',
  'lost-parcel': 'a parcel is lost and found, or comes back',
} as const;

export type Pain = keyof typeof pains;
