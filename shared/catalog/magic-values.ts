interface MagicValue {
  /** Values for requests. */
  readonly values: readonly string[];
  /** Added to the values where they are shown: `or any token not listed here`. */
  readonly also?: string;
  readonly use: string;
}

/** The parts of the initial world that are made for rehearsing, and their use. `fixtures` has the data. */
export const magicValues: readonly { readonly title: string; readonly rows: readonly MagicValue[] }[] = [
  {
    title: 'Products',
    rows: [
      { values: ['mug-blue'], use: '12.99, plenty in stock, no promotion for one or two' },
      { values: ['lamp-last-one'], use: 'a single unit in one warehouse, for concurrent reservations' },
      { values: ['vase-sold-out'], use: 'never in stock' },
      { values: ['desk-two-nodes'], use: 'three units at each of two nodes: no node can serve a line of four' },
      { values: ['wine-red'], use: 'has a minimum age of 18' },
      { values: ['chair-suspended', 'radio-draft', 'calendar-wall'], use: 'suspended; not found, since it is a draft; discontinued' },
    ],
  },
  {
    title: 'Customers and members',
    rows: [
      { values: ['cus_ada'], use: 'active customer, member `loy_ada` with 500 points' },
      { values: ['cus_ben', 'cus_mallory'], use: 'registered without a card; blocked' },
      { values: ['loy_clara', 'loy_dmitri'], use: 'silver and gold member' },
    ],
  },
  {
    title: 'Vouchers',
    rows: [
      { values: ['WELCOME10', 'MIN100', 'VIP'], use: '10 % off; 15.00 off from 100.00; 20 % off for gold members' },
      { values: ['EXPIRED', 'DISABLED', 'USEDUP'], use: 'vouchers that are refused, each for its reason' },
    ],
  },
  {
    title: 'Payment tokens and gift cards',
    rows: [
      { values: ['tok_visa'], also: 'or any token not listed here', use: 'approved' },
      { values: ['tok_decline_insufficient_funds', 'tok_decline_do_not_honor'], use: '402 `payment_declined`' },
      {
        values: ['tok_decline_at_capture'],
        use: 'approved; Capture Payment answers 402 `payment_declined`, and the payment fails',
      },
      {
        values: ['tok_partial_60'],
        use: '60 % of the amount, rounded down, is approved with `acceptPartial`; otherwise 402 with `insufficient_funds` and `availableAmount`',
      },
      {
        values: ['tok_3ds'],
        use: '`requires-action` (3-D Secure) until the customer approves or rejects on the page of `nextAction`; fails after 15 minutes by default. At the till: approved',
      },
      { values: ['tok_timeout'], use: '504 `dependency_timeout`; the payment stays `pending` and fails after 15 minutes by default' },
      { values: ['tok_async_approve'], also: 'or any other token of a `bnpl`, or none', use: '`pending`, approved after a minute' },
      { values: ['tok_refund_later'], use: 'approved; a refund is `pending` for a day, then `succeeded`' },
      { values: ['tok_refund_fails'], use: 'approved; a refund is `pending` for a day, then `failed` with `account_closed`' },
      { values: ['gift_50', 'gift_5'], use: 'gift cards with 50.00 and 5.00, as tender of type `gift-card`' },
    ],
  },
  {
    title: 'Carrier services',
    rows: [
      { values: ['STANDARD', 'EXPRESS'], use: 'delivered after 28 hours and after 12 hours' },
      { values: ['LOST'], use: 'no scan after the depot; lost after 14 days without one, by default' },
      { values: ['RTS'], use: 'refused at the door, back at the sender after 72 hours' },
      { values: ['ATTEMPT3'], use: 'three failed attempts, the last one after 76 hours; back at the sender after 9 days' },
    ],
  },
];
