import { describe, expect, test } from '@jest/globals';
import { type BreakableWorld, eur, soundWorld } from './broken-world.ts';

type Break = (world: BreakableWorld) => Promise<unknown>;
type Case = readonly [what: string, break_: Break, named: string];

const order =
  (id: string, patch: (order: { lines: [object] }) => object): Break =>
  (world) =>
    world.change('oms', 'orders', id, patch);
const line = (id: string, counters: object): Break => order(id, ({ lines: [one] }) => ({ lines: [{ ...one, ...counters }] }));
const payment =
  (id: string, patch: object): Break =>
  (world) =>
    world.change('payment-hub', 'payments', id, () => patch);
const fulfillmentOrder =
  (id: string, patch: (one: { lines: [object]; shipments: [object] }) => object): Break =>
  (world) =>
    world.change('fms', 'fulfillment-orders', id, patch);
const transaction =
  (patch: object): Break =>
  (world) =>
    world.change('pos', 'transactions', 'ord_till', () => patch);
const units = (id: string, counters: object): Break => fulfillmentOrder(id, ({ lines: [one] }) => ({ lines: [{ ...one, ...counters }] }));
const allocation =
  (id: string, counters: object): Break =>
  (world) =>
    world.change('sim', 'reservations', id, ({ allocations: [one] }: { allocations: [object] }) => ({
      allocations: [{ ...one, ...counters }],
    }));
const hold =
  (id: string, patch: object): Break =>
  (world) =>
    world.change('inventory-service', 'holds', id, () => patch);
const ONE_MUG = { sku: 'mug-blue', locationId: 'dc-01', qty: 1 };
const aHold = (id: string, qty: number) => ({ id, version: 1, state: 'held', allocations: [{ ...ONE_MUG, qty }] });
/** One unit of `res_open` that left, according to the SIM. */
const aMovement = (reference: string) => ({
  ...{ id: `res_open|${reference}`, version: 1, reservationId: 'res_open', reference, kind: 'consume', pending: true },
  allocations: [ONE_MUG],
});
/** Changes members of an account, and adds entries to its ledger. */
const account =
  (members: object, entries: readonly object[] = [], id = 'loy_ada'): Break =>
  async (world) => {
    let booked = 0;
    await world.change('loyalty-platform', 'accounts', id, ({ entryCount }: { entryCount: number }) => {
      booked = entryCount;
      return { entryCount: entryCount + entries.length, ...members };
    });
    for (const [index, one] of entries.entries()) {
      const record = { id: `${id}.${booked + index + 1}`, accountId: id, ...one };
      await world.add('loyalty-platform', 'ledger-entries', record);
    }
  };
const entry = (more: object) => ({ type: 'earn', points: 0, at: '2026-03-02T09:00:00.000Z', ...more });

/** A hundred points of `loy_ada`, redeemed. */
const redeemed =
  (patch: object): Break =>
  async (world) => {
    await account({ pointsBalance: 400 }, [entry({ type: 'redeem', points: -100 })])(world);
    const redemption = { id: 'rdm_one', version: 1, state: 'open', accountId: 'loy_ada', points: 100, spentPoints: 0, reversedPoints: 0 };
    await world.add('loyalty-platform', 'redemptions', { ...redemption, ...patch });
    await world.due('loyalty-platform', 'return-redemption', 'rdm_one');
  };
/** A payment that covers `ord_new`. */
const authorisedForNew = {
  ...{ id: 'pay_new', orderId: 'ord_new', state: 'authorised', capturedAmount: eur(0) },
  ...{ amount: eur(1490), authorizedAmount: eur(1490) },
};
const earned = (patch: object = {}) => ({ id: 'ord_sent', version: 1, earned: { points: 20 }, takenBack: 0, refunds: [], ...patch });
const noted = earned({ refunds: [{ id: 'pay_sent.refund-1', booked: true }] });

const aReturn = (id: string, state: string, more: object = {}) => ({
  ...{ id, version: 1, createdAt: '', updatedAt: '', completedAt: '', state, orderId: 'ord_sent', dropOff: 'carrier', locationId: 'dc-01' },
  ...{ resolution: 'refund', refundAmount: eur(1000), refunds: [], shipments: [] },
  lines: [{ orderLineId: 'line-1', sku: 'mug-blue', qty: 1, reason: 'too small' }],
  ...more,
});
const aBooking = (id: string, status: string) => ({
  ...{ id, version: 1, orderId: 'ord_sent', status },
  lines: [{ orderLineId: 'line-1', qty: 1, amount: 1000 }],
});
const restocked = [
  { orderLineId: 'line-1', sku: 'mug-blue', qty: 1, reason: 'too small', condition: 'resellable', disposition: 'restock' },
];

/** One of the two mugs of `ord_sent` was returned and refunded, the other one waits for its inspection. */
const comesBack: Break = async (world) => {
  await order('ord_sent', ({ lines: [one] }) => ({ state: 'return-in-progress', lines: [{ ...one, returnedQty: 1 }] }))(world);
  await world.add('oms', 'return-bookings', aBooking('ret_one', 'refunded'));
  await world.add('oms', 'return-bookings', aBooking('ret_two', 'open'));
  const refunds = [{ paymentId: 'pay_sent', amount: eur(1000) }];
  await world.add('fms', 'returns', aReturn('ret_one', 'refunded', { refunds, lines: restocked }));
  await world.add('fms', 'returns', aReturn('ret_two', 'received'));
  await payment('pay_sent', {
    ...{ state: 'partially-refunded', refundedAmount: eur(1000) },
    refunds: [{ amount: eur(1000), returnId: 'ret_one', reference: 'return/ret_one/0' }],
  })(world);
  await world.add('loyalty-platform', 'earnings', noted);
  await world.move('stock', { onHand: 1 });
  await world.move('units-moved', { returned: 1 });
};
const comingBack =
  (break_: Break): Break =>
  async (world) => {
    await comesBack(world);
    await break_(world);
  };
const returned = (id: string, patch: object): Break => comingBack((world) => world.change('fms', 'returns', id, () => patch));
const booking = (id: string, patch: object): Break => comingBack((world) => world.change('oms', 'return-bookings', id, () => patch));

const cases: Readonly<Record<string, readonly Case[]>> = {
  money: [
    [
      'more captured than authorised',
      payment('pay_sent', { capturedAmount: eur(2500) }),
      'payment/pay_sent: captured 2500 > authorised 2490',
    ],
    ['more authorised than asked for', payment('pay_sent', { amount: eur(2000) }), 'payment/pay_sent: authorised 2490 > asked 2000'],
    [
      'more refunded than captured',
      payment('pay_back', { refundedAmount: eur(1500), refunds: [{ amount: eur(1500) }] }),
      'payment/pay_back: refunded 1500 > captured 1490',
    ],
    ['refunds that do not add up', payment('pay_back', { refunds: [] }), 'payment/pay_back: its refunds add up to 0, not to 1490'],
    ['half a cent', payment('pay_sent', { capturedAmount: eur(2489.5) }), 'payment/pay_sent: amounts are not integers'],
    ['a captured payment of nothing', payment('pay_sent', { capturedAmount: eur(0) }), 'payment/pay_sent: captured with 0 captured'],
    ['a voided payment that was captured', payment('pay_sent', { state: 'voided' }), 'payment/pay_sent: voided with 2490 captured'],
    ['a state that hides a refund', payment('pay_back', { state: 'captured' }), 'payment/pay_back: captured with 1490 of 1490 refunded'],
    ['a line missing from the total', line('ord_new', { lineTotal: eur(999) }), 'order/ord_new: lines 999 and shipping 490 are not'],
    ['a discount missing from the lines', line('ord_new', { discount: eur(5) }), 'order/ord_new: line discounts add up to 5, not to 0'],
    [
      'totals that do not add up',
      order('ord_new', () => ({ totals: { subtotal: eur(1), discount: eur(0), shipping: eur(490), tax: eur(0), total: eur(1490) } })),
      'order/ord_new: totals do not add up',
    ],
    [
      'an order paid twice',
      (world) => world.copy('payment-hub', 'payments', 'pay_sent', { id: 'pay_twice' }),
      'order/ord_sent: payments of 4980',
    ],
    [
      'unpaid goods that were sent',
      payment('pay_open', { state: 'voided', capturedAmount: eur(0) }),
      'order/ord_open: goods have left, and payment/pay_open keep 0 of the 3490',
    ],
    [
      'a refunded line that the customer keeps',
      payment('pay_sent', {
        state: 'partially-refunded',
        refundedAmount: eur(1000),
        refunds: [{ amount: eur(1000), reference: 'cancelled/line-1/1' }],
      }),
      'order/ord_sent: goods have left, and payment/pay_sent keep 1490 of the 2490',
    ],
    [
      'a gift card that lost money',
      (world) => world.count('payment-hub', 'gift-card-balances', 'gift_50', { balance: -100 }),
      'gift card gift_50: 4900 of 5000 are left, and payments have 0',
    ],
    [
      'a gift card that paid and is full',
      payment('pay_sent', { tender: { type: 'gift-card', token: 'gift_50' } }),
      'gift card gift_50: 5000 of 5000 are left, and payments have 2490',
    ],
    [
      'a promised amount without a payment',
      (world) => world.count('payment-hub', 'order-covers', 'ord_open', { committed: 3500 }),
      'order/ord_open: 3500 count as promised, and its payments promise 3490',
    ],
  ],
  points: [
    ['points without an entry', account({ pointsBalance: 501 }), 'loyalty-account/loy_ada: entries add up to 500'],
    [
      'a balance below zero',
      account({ pointsBalance: -1 }, [entry({ type: 'redeem', points: -501 })]),
      'loyalty-account/loy_ada: negative balance -1',
    ],
    [
      'points that a refund has not taken back',
      account({ lifetimePoints: 600, shortfall: 50 }, [entry({ type: 'reverse', shortfall: 50 })]),
      'loyalty-account/loy_ada: 50 points are still to be taken back, and the balance is 500',
    ],
    [
      'points that were taken back twice',
      account({ pointsBalance: 450 }, [entry({ type: 'reverse', points: -50, shortfall: -50 })]),
      'loyalty-account/loy_ada: 50 points too many were taken back',
    ],
    [
      'an entry that the account does not count',
      account({ entryCount: 4 }, [entry({})]),
      'loyalty-account/loy_ada: it counts 4 entries, the ledger has 5',
    ],
    [
      'a shortfall that the account does not have',
      account({}, [entry({ type: 'reverse', shortfall: 50 })]),
      'loyalty-account/loy_ada: its shortfall is 0, the entries add up to 50',
    ],
    [
      'redeemed points without a redemption',
      account({ pointsBalance: 400 }, [entry({ type: 'redeem', points: -100 })]),
      'loyalty-account/loy_ada: 100 points were redeemed and not given back, its redemptions keep 0',
    ],
    ['points counted twice', redeemed({ points: 200 }), 'loy_ada: 100 points were redeemed and not given back, its redemptions keep 200'],
    [
      'an open redemption with no work scheduled',
      async (world) => {
        await redeemed({})(world);
        await world.due('loyalty-platform', 'return-redemption', 'rdm_one', null);
      },
      'redemption/rdm_one: open, and nothing will ever give its points back',
    ],
    [
      'a redemption spent by an unknown payment',
      redeemed({ state: 'spent', spentPoints: 100, paymentId: 'pay_gone' }),
      'redemption/rdm_one: spent by payment/pay_gone, which does not exist',
    ],
    [
      'a payment with points that were never spent',
      payment('pay_open', { tender: { type: 'loyalty', token: 'rdm_one' } }),
      'payment/pay_open: it has 3490 of points, and 0 were spent for it',
    ],
    [
      'points still spent by a voided payment',
      async (world) => {
        await redeemed({ state: 'spent', spentPoints: 100, paymentId: 'pay_open' })(world);
        await payment('pay_open', { tender: { type: 'loyalty', token: 'rdm_one' }, state: 'voided', capturedAmount: eur(0) })(world);
      },
      'payment/pay_open: it has 0 of points, and 100 were spent for it',
    ],
    [
      'a member who earned nothing',
      order('ord_sent', () => ({ completedAt: '', earningAmount: eur(2000) })),
      'order/ord_sent: completed, and loyalty-account/loy_ada earned nothing for it',
    ],
    [
      'a member who earned less than the order is worth',
      async (world) => {
        await order('ord_sent', () => ({ completedAt: '', earningAmount: eur(2000) }))(world);
        await world.add('loyalty-platform', 'earnings', earned());
        await account({ pointsBalance: 501, lifetimePoints: 651 }, [entry({ points: 1, orderId: 'ord_sent' })])(world);
      },
      'order/ord_sent: worth 20 points, and it earned 1',
    ],
    [
      'points earned by an unknown order',
      account({}, [entry({ orderId: 'ord_nobody' })]),
      'loyalty-account/loy_ada: earned 0 points for order/ord_nobody, which does not exist',
    ],
    [
      'points earned by an order that was never completed',
      account({}, [entry({ orderId: 'ord_new' })]),
      'loyalty-account/loy_ada: earned 0 points for order/ord_new, which was never completed',
    ],
    [
      'points earned by an order of another member',
      account({}, [entry({ orderId: 'ord_sent' })], 'loy_clara'),
      'loyalty-account/loy_clara: earned 0 points for order/ord_sent, which belongs to another customer',
    ],
    [
      'a redemption that paid for another order',
      async (world) => {
        await redeemed({ state: 'spent', spentPoints: 100, paymentId: 'pay_sent', orderId: 'ord_new' })(world);
      },
      'redemption/rdm_one: made for order/ord_new, and it paid for order/ord_sent',
    ],
    [
      'a redemption that paid for another basket',
      redeemed({ state: 'spent', spentPoints: 100, paymentId: 'pay_sent', basketId: 'bsk_new' }),
      'redemption/rdm_one: made for basket/bsk_new, and it paid for order/ord_sent',
    ],
    [
      'a redemption that paid for an order of another member',
      async (world) => {
        await order('ord_sent', () => ({ loyaltyAccountId: 'loy_clara' }))(world);
        await redeemed({ state: 'spent', spentPoints: 100, paymentId: 'pay_sent' })(world);
      },
      'redemption/rdm_one: made for loyalty-account/loy_ada, and it paid for order/ord_sent, which belongs to another customer',
    ],
    [
      'a tier without enough purchases',
      account({ lifetimePoints: 1650, tier: 'silver' }),
      'loyalty-account/loy_ada: 1650 lifetime points, and its entries leave 650',
    ],
    [
      'a tier above the lifetime points',
      account({ tier: 'gold' }),
      'loyalty-account/loy_ada: gold with 650 lifetime points, which reach bronze',
    ],
    [
      'more taken back than earned',
      (world) => world.add('loyalty-platform', 'earnings', earned({ takenBack: 21 })),
      'order/ord_sent: earned 20 points, and 21 were taken back',
    ],
    [
      'a refund that the ledger has not booked',
      (world) => world.add('loyalty-platform', 'earnings', earned({ refunds: [{ id: 'pay_sent.refund-1', booked: false }] })),
      'order/ord_sent: earned, and a refund of it has not been booked',
    ],
    [
      'a refund unknown to the Loyalty Platform',
      payment('pay_sent', { state: 'partially-refunded', refundedAmount: eur(1000), refunds: [{ amount: eur(1000) }] }),
      'pay_sent.refund-1: the Loyalty Platform has not received it',
    ],
  ],
  stock: [
    ['negative units on hand', (world) => world.move('stock', { onHand: -2_000 }), 'stock/mug-blue|dc-01: on hand -1005'],
    ['more units promised than available', (world) => world.move('stock', { safetyStock: 2_000 }), 'stock/mug-blue|dc-01: ATP -1006'],
    [
      'a reserved unit without a reservation',
      (world) => world.move('stock', { reserved: 1 }),
      'stock/mug-blue|dc-01: open reservations hold 1, reserved is 2',
    ],
    [
      'an open reservation whose unit was given back',
      async (world) => {
        await hold('res_open', { state: 'released' })(world);
        await world.move('stock', { reserved: -1 });
      },
      'stock/mug-blue|dc-01: open reservations hold 1, reserved is 0',
    ],
    [
      'a unit given back for one reservation and kept for another',
      async (world) => {
        await hold('res_open', { state: 'released' })(world);
        await world.add('inventory-service', 'holds', aHold('res_1', 1));
      },
      'reservation/res_open: of mug-blue|dc-01 it has 1, and 0 are held for it',
    ],
    [
      'a released reservation whose unit is still reserved',
      (world) => world.change('sim', 'reservations', 'res_open', () => ({ state: 'released' })),
      'stock/mug-blue|dc-01: open reservations hold 0, reserved is 1',
    ],
    [
      'a consumed unit that was given back with the rest',
      async (world) => {
        await allocation('res_open', { fulfilledQty: 3 })(world);
        await world.add('sim', 'movements', aMovement('late'));
        await hold('res_open', { state: 'released' })(world);
        await world.move('stock', { reserved: -1 });
      },
      'reservation/res_open: of mug-blue|dc-01 it has 1, and 0 are held for it',
    ],
    [
      'a unit that vanishes',
      (world) => world.move('stock', { onHand: -1 }),
      'stock/mug-blue|dc-01: received 1000 + returned 1 + found 0 + recounted 0 is not on hand 994',
    ],
    ['a unit that appears', (world) => world.move('stock', { onHand: 1 }, 'mug-blue|store-01'), 'stock/mug-blue|store-01: received 50'],
    [
      'a unit shipped twice',
      (world) => world.move('units-moved', { shipped: 1 }),
      'stock/mug-blue|dc-01: reservations say 5 shipped, the counters say 6',
    ],
    ['a write-off without a reservation', allocation('res_open', { cancelledQty: 0 }), 'reservations say 0 writtenOff, the counters say 1'],
    [
      'a returned unit that was not counted back',
      (world) => world.move('units-moved', { returned: -1 }),
      '1 came back with fulfillment-order/ful_back, and 0 were put back',
    ],
    ['movements below zero', (world) => world.move('units-moved', { found: -1 }), 'stock/mug-blue|dc-01: units moved are negative'],
    [
      'a unit sent that is still held',
      units('ful_sent', { pickedQty: 1 }),
      'reservation/res_sent: 2 of mug-blue|dc-01 left it, and its fulfillment orders sent 1',
    ],
    [
      'two open holds of one basket',
      (world) => world.copy('sim', 'reservations', 'res_open', { id: 'res_other' }),
      'basket/bsk_open: it has 2 open reservations: reservation/res_open, reservation/res_other',
    ],
    ...([undefined, 'sim'] as const).map(
      (awaits): Case => [
        `an open reservation of a cancelled order whose release is parked, ${awaits ? 'since the SIM is away' : 'for good'}`,
        async (world) => {
          await order('ord_open', () => ({ state: 'cancelled' }))(world);
          await world.parkDue('oms', 'compensate', 'ord_open', awaits);
        },
        'reservation/res_open: confirmed, and its order/ord_open is cancelled',
      ],
    ),
    ...(['completed', 'return-in-progress', 'cancelled'] as const).map(
      (state): Case => [
        `an open hold of an order that is ${state}`,
        order('ord_open', () => ({ state })),
        `reservation/res_open: confirmed, and its order/ord_open is ${state}`,
      ],
    ),
    [
      'an open hold of a basket whose order has ended',
      async (world) => {
        await world.change('sim', 'reservations', 'res_open', () => ({ basketId: 'bsk_till', orderId: undefined }));
        await world.change('ecommerce-platform', 'baskets', 'bsk_till', () => ({ state: 'converted', orderId: 'ord_sent' }));
      },
      'reservation/res_open: confirmed, and its order/ord_sent is completed',
    ],
    ...(['abandoned', 'merged'] as const).map(
      (state): Case => [
        `an open hold of a basket that is ${state}`,
        async (world) => {
          await world.change('sim', 'reservations', 'res_open', () => ({ basketId: 'bsk_till', orderId: undefined }));
          await world.change('ecommerce-platform', 'baskets', 'bsk_till', () => ({ state }));
        },
        `reservation/res_open: confirmed, and its basket/bsk_till is ${state}`,
      ],
    ),
    [
      'an open hold of a transaction that was voided',
      async (world) => {
        await world.change('sim', 'reservations', 'res_open', () => ({ basketId: undefined, orderId: 'ord_till' }));
        await world.due('pos', 'expire-transaction', 'ord_till', null);
        await transaction({ state: 'voided' })(world);
      },
      'reservation/res_open: confirmed, and its transaction/ord_till is voided',
    ],
  ],
  fulfilment: [
    [
      'more ended units than ordered units',
      line('ord_sent', { cancelledQty: 1 }),
      'order/ord_sent line-1: 2 delivered and 1 cancelled of 2',
    ],
    ['more returned than delivered', line('ord_open', { returnedQty: 1 }), 'order/ord_open line-1: 1 returned of 0 delivered'],
    ['negative units', line('ord_open', { cancelledQty: -1 }), 'order/ord_open line-1: units are not integers'],
    [
      'a unit in two fulfillment orders',
      units('ful_rest', { qty: 2 }),
      'order/ord_open line-1: fulfillment-order/ful_open, fulfillment-order/ful_rest have 4',
    ],
    [
      'a line with different picked units at warehouse and FMS',
      (world) =>
        world.change('wms', 'picking-orders', 'pck_open', ({ lines: [one] }: { lines: [object] }) => ({
          lines: [{ ...one, pickedQty: 1 }],
        })),
      'picking-order/pck_open line-1: picked 1 at the WMS, and 2 at fulfillment-order/ful_open',
    ],
    ['a unit both cancelled and sent', line('ord_open', { cancelledQty: 1 }), 'have 3 and 1 are cancelled, of 3'],
    [
      'a delivery unknown to the order',
      line('ord_sent', { fulfilledQty: 1 }),
      'order/ord_sent line-1: 1 delivered, its fulfillment orders delivered 2',
    ],
    [
      'a completed order with a unit left',
      order('ord_open', () => ({ state: 'completed' })),
      'order/ord_open line-1: completed with 0 delivered and 0 cancelled of 3',
    ],
    [
      'a fulfillment order of an unknown order',
      fulfillmentOrder('ful_rest', () => ({ orderId: 'ord_gone' })),
      'fulfillment-order/ful_rest: of order/ord_gone',
    ],
    [
      'more picked and short units than requested',
      units('ful_rest', { pickedQty: 1, shortQty: 1 }),
      'fulfillment-order/ful_rest line-1: picked 1 and short 1 of 1',
    ],
    [
      'a picking order unknown to the warehouse',
      fulfillmentOrder('ful_rest', () => ({ pickingOrderId: 'pck_gone' })),
      'picking-order/pck_gone, which the WMS does not have',
    ],
    [
      'a picking order of another fulfillment order',
      (world) => world.change('wms', 'picking-orders', 'pck_rest', () => ({ fulfillmentOrderId: 'ful_open' })),
      'picking-order/pck_rest: of fulfillment-order/ful_open, which is picked by pck_open',
    ],
    [
      'a scan unknown to the FMS',
      fulfillmentOrder('ful_open', ({ shipments: [one] }) => ({ shipments: [{ ...one, state: 'collected' }] })),
      'shipment/shp_open: in-transit at the carrier, collected at fulfillment-order/ful_open',
    ],
    [
      'a parcel unknown to the carrier',
      fulfillmentOrder('ful_open', ({ shipments: [one] }) => ({ shipments: [{ ...one, id: 'shp_gone' }] })),
      'shipment/shp_gone: of fulfillment-order/ful_open, and the carrier has no record of it',
    ],
    [
      'a parcel without a fulfillment order',
      (world) => world.copy('carrier-platform', 'shipments', 'shp_open', { id: 'shp_gone' }),
      'shipment/shp_gone: of no fulfillment order',
    ],
  ],
  returns: [
    [
      'a credit of a return that the OMS has not booked',
      payment('pay_open', { tender: { type: 'exchange-credit' }, returnId: 'ret_gone' }),
      'payment/pay_open: a credit of return/ret_gone, which has no record at the OMS',
    ],
    [
      'a credit that pays another order than the exchange',
      comingBack(payment('pay_open', { tender: { type: 'exchange-credit' }, returnId: 'ret_two' })),
      'payment/pay_open: a credit of return/ret_two pays order/ord_open, which is not its exchange order',
    ],
    [
      'value of a return wrongly counted as used',
      comingBack((world) => world.count('payment-hub', 'return-covers', 'ret_one', { used: 1500 })),
      'return/ret_one: 1500 count as used, 1000 were paid back and 0 credited',
    ],
    [
      'an exchange that counts for an order without a credit',
      comingBack((world) => world.count('payment-hub', 'order-covers', 'ord_sent', { exchanged: 500 })),
      'order/ord_sent: 500 count as exchanged, and the credits of its returns hold 0',
    ],
    [
      'an exchange paid with more than the customer has not got back',
      comingBack((world) =>
        world.copy('payment-hub', 'payments', 'pay_open', {
          id: 'pay_credit',
          ...{ tender: { type: 'exchange-credit' }, returnId: 'ret_two', state: 'authorised', authorizedAmount: eur(3000) },
        }),
      ),
      'order/ord_sent: the credits of its returns hold 3000, and its payments keep 1490',
    ],
    [
      'a return that the OMS has not booked',
      (world) => world.add('fms', 'returns', aReturn('ret_gone', 'requested')),
      'return/ret_gone: it has no record at the OMS',
    ],
    [
      'units booked for an unknown return',
      (world) => world.add('oms', 'return-bookings', aBooking('ret_gone', 'open')),
      'return/ret_gone: open at the OMS, and the FMS does not have it',
    ],
    [
      'a return that ended in one application alone',
      returned('ret_two', { state: 'refunded' }),
      'return/ret_two: refunded, and open at the OMS',
    ],
    [
      'other units than booked',
      booking('ret_two', { lines: [{ orderLineId: 'line-1', qty: 2, amount: 1000 }] }),
      'return/ret_two: line-1 × 1, booked are line-1 × 2',
    ],
    [
      'another value than booked',
      booking('ret_two', { lines: [{ orderLineId: 'line-1', qty: 1, amount: 999 }] }),
      'return/ret_two: worth 1000, booked is 999',
    ],
    [
      'a store return addressed to a warehouse',
      returned('ret_two', { dropOff: 'store' }),
      'return/ret_two: is returned at a store, and dc-01 is not a store',
    ],
    ['a return of another order', returned('ret_two', { orderId: 'ord_open' }), 'return/ret_two: of order/ord_open, and booked on'],
    ['a unit wrongly counted as returned', comingBack(line('ord_sent', { returnedQty: 2 })), '2 returned, and its returns count 1'],
    [
      'a unit in two returns',
      comingBack(async (world) => {
        await world.add('oms', 'return-bookings', aBooking('ret_three', 'open'));
        await world.add('fms', 'returns', aReturn('ret_three', 'requested'));
      }),
      'order/ord_sent line-1: 1 returned and 2 announced of 2 delivered',
    ],
    [
      'a rejected return whose goods are on their way',
      returned('ret_two', { state: 'rejected', shipments: [{ id: 'shp_two', state: 'in-transit', labelStatus: 'ready' }] }),
      'return/ret_two: rejected, and its goods are in shipment/shp_two, which is in-transit',
    ],
    [
      'a delivered parcel that its return did not receive',
      returned('ret_two', { state: 'in-transit', shipments: [{ id: 'shp_two', state: 'delivered', labelStatus: 'ready' }] }),
      'return/ret_two: in-transit, and its shipment/shp_two is delivered',
    ],
    [
      'a unit that is on its way and was returned elsewhere',
      comingBack(async (world) => {
        await world.change('fms', 'returns', 'ret_two', () => ({
          ...{ state: 'rejected', shipments: [{ id: 'shp_two', state: 'collected', labelStatus: 'ready' }] },
        }));
        await world.add('oms', 'return-bookings', aBooking('ret_three', 'refunded'));
        await world.add('fms', 'returns', aReturn('ret_three', 'refunded', { lines: restocked }));
      }),
      'order/ord_sent line-1: 3 returned or on their way back, and 2 delivered',
    ],
    [
      'a cent lost with the last unit',
      booking('ret_two', { lines: [{ orderLineId: 'line-1', qty: 1, amount: 999 }] }),
      'order/ord_sent line-1: all units are returned or cancelled, worth 1999 of 2000',
    ],
    [
      'an open return of a completed order',
      comingBack(order('ord_sent', () => ({ state: 'completed' }))),
      'order/ord_sent: completed, its open returns are return/ret_two',
    ],
    [
      'more refunded than the value of a return',
      comingBack(
        payment('pay_sent', {
          refundedAmount: eur(1100),
          refunds: [1000, 100].map((amount) => ({ amount: eur(amount), returnId: 'ret_one' })),
        }),
      ),
      'return/ret_one: 1100 paid back and 0 credited of 1000',
    ],
    [
      'a return that is both refunded and credited',
      comingBack((world) =>
        world.copy('payment-hub', 'payments', 'pay_open', {
          id: 'pay_credit',
          ...{ tender: { type: 'exchange-credit' }, returnId: 'ret_one', state: 'authorised', authorizedAmount: eur(1) },
        }),
      ),
      'return/ret_one: 1000 paid back and 1 credited of 1000',
    ],
    [
      'a refunded return without a refund',
      comingBack(payment('pay_sent', { state: 'captured', refundedAmount: eur(0), refunds: [] })),
      'return/ret_one: refunded, and 0 of 1000 were paid back while 2490 could be',
    ],
    [
      'a refund unknown to the return',
      returned('ret_one', { refunds: [] }),
      'return/ret_one: it notes refunds of 0, its payments were refunded 1000 for it',
    ],
    [
      'a refund from the payments of another order',
      comingBack(payment('pay_back', { refunds: [{ amount: eur(1490), returnId: 'ret_two' }] })),
      'return/ret_two: a payment of order/ord_back was refunded for it, which is not its order',
    ],
    [
      'restocked goods without an inspection',
      comingBack((world) => world.move('units-moved', { returned: 1 })),
      'stock/mug-blue|dc-01: 3 returned, and 2 came back',
    ],
    ['scrapped goods without a return', (world) => world.move('units-moved', { scrapped: 1 }), 'stock/mug-blue|dc-01: 1 scrapped, and 0'],
    [
      'inspected goods that stock has not booked',
      returned('ret_two', { lines: restocked }),
      'stock/mug-blue|dc-01: 2 returned, and 3 came back',
    ],
  ],
  till: [
    [
      'an open checkout with no work scheduled',
      (world) => world.due('pos', 'expire-transaction', 'ord_till', null),
      'transaction/ord_till: open, and nothing will move it',
    ],
    [
      'a pending void with no work scheduled',
      async (world) => {
        await transaction({ state: 'voided', compensation: 'pending' })(world);
        await world.due('pos', 'expire-transaction', 'ord_till', null);
      },
      'transaction/ord_till: being undone, and nothing will move it',
    ],
    [
      'money on a voided transaction',
      async (world) => {
        await transaction({ state: 'voided' })(world);
        await world.copy('payment-hub', 'payments', 'pay_open', { id: 'pay_till', ...{ orderId: 'ord_till', state: 'authorised' } });
      },
      'transaction/ord_till: voided, and payment/pay_till is authorised',
    ],
    ['a basket left locked by a void', transaction({ state: 'voided' }), 'transaction/ord_till: voided, and basket/bsk_till is locked'],
    [
      'a draft order left by a void',
      async (world) => {
        await transaction({ state: 'voided' })(world);
        await world.copy('oms', 'orders', 'ord_new', { id: 'ord_till' });
      },
      'transaction/ord_till: voided, and order/ord_till is draft',
    ],
    ['a sale without its order', transaction({ state: 'completed' }), 'transaction/ord_till: completed, and order/ord_till is missing'],
    [
      'a basket locked for an unknown transaction',
      (world) => world.change('ecommerce-platform', 'baskets', 'bsk_till', () => ({ transactionId: 'ord_gone' })),
      'basket/bsk_till: locked for transaction/ord_gone, and nobody',
    ],
  ],
  'one-effect': [
    [
      'two orders of one basket',
      (world) => world.copy('oms', 'orders', 'ord_new', { id: 'ord_too' }),
      'order of basket bsk_new: 2 times, ord_new, ord_too',
    ],
    [
      'two holds of one basket',
      async (world) => {
        for (const id of ['res_1', 'res_2']) await world.add('sim', 'reservations', { ...HOLD, id });
      },
      'open reservation of basket bsk_1: 2 times, res_1, res_2',
    ],
    [
      'two picking orders of one fulfillment order',
      (world) => world.copy('wms', 'picking-orders', 'pck_rest', { id: 'pck_too' }),
      'picking order of fulfillment-order ful_rest: 2 times, pck_rest, pck_too',
    ],
    [
      'two refunds under one reference',
      payment('pay_back', { refunds: [745, 745].map((amount) => ({ amount: eur(amount), reference: 'cancelled/line-1/1' })) }),
      'refund of payment/pay_back under cancelled/line-1/1: 2 times',
    ],
    [
      'an order that earns twice',
      account({}, [entry({ orderId: 'ord_sent' }), entry({ orderId: 'ord_sent' })]),
      'earn at loyalty-account/loy_ada for order ord_sent: 2 times',
    ],
    [
      'goodwill that is granted twice',
      account(
        {},
        [0, 0].map(() => entry({ type: 'issue', reference: 'case-4711' })),
      ),
      'points issued to loyalty-account/loy_ada for case-4711: 2 times',
    ],
    [
      'a refund that takes points back twice',
      account(
        {},
        [0, 0].map(() => entry({ type: 'reverse', reference: 'pay_sent.refund-1' })),
      ),
      'points taken back at loyalty-account/loy_ada for pay_sent.refund-1: 2 times',
    ],
    [
      'a duplicate event',
      async (world) => {
        for (let count = 0; count < 2; count++) await world.event('oms', 'order/ord_new', 1, {});
      },
      'ext.order-changed order/ord_new v1: 2 times',
    ],
  ],
  'event-versions': [
    ['a change without its event', order('ord_new', () => ({ version: 2 })), 'order/ord_new: no event for version 2'],
    ['an event without its change', (world) => world.event('oms', 'order/ord_new', 2, {}), 'order/ord_new: events beyond version 1'],
    [
      'an event of an unknown object',
      (world) => world.event('oms', 'order/ord_gone', 1, {}),
      'order/ord_gone: events of an object that does not exist',
    ],
  ],
  moving: [
    [
      'a pending intent with no work scheduled',
      order('ord_open', () => ({ pendingAction: { action: 'cancel', since: '' } })),
      'order/ord_open: cancel is pending',
    ],
    [
      'a pending compensation with no work scheduled',
      order('ord_back', () => ({ compensation: 'pending' })),
      'order/ord_back: compensation is pending',
    ],
    [
      'a draft without an expiry',
      (world) => world.due('oms', 'expire-draft', 'ord_new', null),
      'order/ord_new: draft, and nothing will ever expire it',
    ],
    [
      'a failed routing with no work scheduled',
      order('ord_open', () => ({ routingStatus: 'retrying' })),
      'order/ord_open: its routing is tried again',
    ],
    [
      'a failed capture with no work scheduled',
      order('ord_open', () => ({ captureStatus: 'retrying' })),
      'order/ord_open: its capture is tried again',
    ],
    [
      'a confirmed order with a lost authorisation and no work scheduled',
      async (world) => {
        await order('ord_new', () => ({ state: 'confirmed', routingStatus: 'manual' }))(world);
        await world.copy('payment-hub', 'payments', 'pay_open', { ...authorisedForNew, state: 'voided' });
        await world.due('oms', 'expire-draft', 'ord_new', null);
      },
      'order/ord_new: confirmed, payments bind 0 of 1490, and nothing will authorise it again or end it',
    ],
    [
      'a confirmed order without a routing',
      async (world) => {
        await order('ord_new', () => ({ state: 'confirmed' }))(world);
        await world.due('oms', 'expire-draft', 'ord_new', null);
      },
      'order/ord_new: confirmed with no fulfillment order, and nothing will move it',
    ],
    [
      'an open order whose fulfillment orders have all ended',
      async (world) => {
        await fulfillmentOrder('ful_open', () => ({ state: 'delivered' }))(world);
        await fulfillmentOrder('ful_rest', () => ({ state: 'cancelled' }))(world);
      },
      'order/ord_open: in-fulfilment with fulfillment-order/ful_open delivered, fulfillment-order/ful_rest cancelled, and nothing will move it',
    ],
    [
      'a fulfillment order without an allocation',
      fulfillmentOrder('ful_rest', () => ({ state: 'created' })),
      'fulfillment-order/ful_rest: created, and nothing',
    ],
    [
      'a failed delivery with no work scheduled',
      fulfillmentOrder('ful_open', () => ({ state: 'failed-delivery' })),
      'fulfillment-order/ful_open: failed-delivery, and nothing',
    ],
    [
      'a dispatch without a parcel',
      fulfillmentOrder('ful_open', () => ({ shipments: [] })),
      'fulfillment-order/ful_open: dispatched, and nothing',
    ],
    [
      'picking for a cancelled order',
      order('ord_open', () => ({ state: 'cancelled' })),
      'fulfillment-order/ful_rest: picking, and order/ord_open is cancelled',
    ],
    [
      'an inspected return with no refund scheduled',
      comingBack(async (world) => {
        await world.change('fms', 'returns', 'ret_two', () => ({ state: 'inspected' }));
        await world.change('oms', 'return-bookings', 'ret_two', () => ({ status: 'refunding' }));
      }),
      'return/ret_two: inspected, and nothing will move it',
    ],
    [
      'a return with a lost parcel and no work scheduled',
      returned('ret_two', { state: 'in-transit', shipments: [{ id: 'shp_back', state: 'lost', labelStatus: 'ready' }] }),
      'return/ret_two: in-transit, and nothing will move it',
    ],
    [
      'a written-off return with no refund scheduled',
      comingBack(async (world) => {
        await world.change('fms', 'returns', 'ret_two', () => ({ state: 'in-transit', writtenOffAt: '2026-03-02T09:00:00.000Z' }));
        await world.change('oms', 'return-bookings', 'ret_two', () => ({ status: 'refunding' }));
      }),
      'return/ret_two: in-transit, and nothing will move it',
    ],
    [
      'a pending rejection with no work scheduled',
      returned('ret_two', { rejecting: { since: '' } }),
      'return/ret_two: received, and nothing will move it',
    ],
    [
      'a pending payment with no work scheduled',
      payment('pay_open', { state: 'pending' }),
      'payment/pay_open: pending, and nothing will decide it',
    ],
    [
      'a hold without an expiry',
      (world) => world.add('sim', 'reservations', { ...HOLD, id: 'res_1' }),
      'reservation/res_1: requested, and nothing will ever',
    ],
  ],
  parked: [
    [
      'parked work of an order',
      (world) => world.parkDue('oms', 'redeem-vouchers', 'ord_open'),
      'order/ord_open: the work redeem-vouchers of OMS is parked: failed too often',
    ],
    [
      'parked work that awaits an application',
      (world) => world.parkDue('fms', 'write-off', 'ful_open', 'sim'),
      'fulfillment-order/ful_open: the work write-off of FMS is parked: failed too often',
    ],
    [
      'parked work of an object that nobody knows',
      (world) => world.parkDue('oms', 'finish-creation', 'bsk_gone'),
      'due oms|finish-creation|bsk_gone: the work finish-creation of OMS is parked',
    ],
    [
      'a parked delivery',
      async (world) =>
        world.park('oms', await world.event('fms', 'fulfillment-order/ful_rest', 1, { id: 'ful_rest', orderId: 'ord_open' }, ['oms'])),
      'fulfillment-order/ful_rest: OMS has not consumed ext.fulfillment-order-changed, which is parked: poison',
    ],
  ],
  replay: [
    [
      'an event that contradicts the stored object',
      (world) => world.event('oms', 'order/ord_new', 1, { id: 'ord_new', state: 'confirmed' }),
      'order/ord_new: its last event, version 1, differs from the stored object',
    ],
  ],
};

const HOLD = { version: 1, state: 'requested', basketId: 'bsk_1', items: [], allocations: [], createdAt: '', updatedAt: '' };

const violationsOf = async (world: BreakableWorld): Promise<Record<string, string[]>> =>
  Object.fromEntries((await world.verify()).map(({ id, violations }) => [id, violations]));

/** All violations but those of events: records written past the applications have no events. */
const broken = async (world: BreakableWorld): Promise<string[]> => {
  const { 'event-versions': _events, ...violations } = await violationsOf(world);
  return Object.values(violations).flat();
};

describe('Verifying a world', () => {
  test('that is sound reports no violation, checks every invariant, and names the applications that open orders wait for', async () => {
    const results = await (await soundWorld()).verify();
    expect(results.flatMap(({ violations }) => violations)).toEqual([]);
    expect(results.map(({ id, holds }) => [id, holds])).toEqual([...Object.keys(cases)].map((id) => [id, true]));
    for (const { id, checked } of results) expect([id, checked > 0 || id === 'replay']).toEqual([id, true]);
    expect(results.find(({ id }) => id === 'moving')?.waiting).toEqual([
      'order/ord_open: the carrier, fulfillment-order/ful_open is dispatched',
      'order/ord_open: the warehouse, fulfillment-order/ful_rest is picking',
      'order/ord_new: the OMS has work queued',
    ]);
  });

  test('with returns is sound as well and names the applications that they wait for', async () => {
    const world = await soundWorld();
    await comesBack(world);
    // Records written past the applications have no events.
    const results = (await world.verify()).filter(({ id }) => id !== 'event-versions');
    expect(results.flatMap(({ violations }) => violations)).toEqual([]);
    expect(results.find(({ id }) => id === 'moving')?.waiting).toContain('order/ord_sent: the warehouse, return/ret_two is received');
  });

  describe.each(Object.entries(cases))('reports under %s', (id, found) => {
    test.each(found)('%s', async (_what, break_, named) => {
      const world = await soundWorld();
      await break_(world);
      expect((await violationsOf(world))[id]).toEqual(expect.arrayContaining([expect.stringContaining(named)]));
    });
  });

  test.each([
    [
      'goodwill refunded by hand',
      async (world) => {
        await payment('pay_sent', { state: 'partially-refunded', refundedAmount: eur(1000), refunds: [{ amount: eur(1000) }] })(world);
        await world.add('loyalty-platform', 'earnings', noted);
      },
    ],
    ['open points of a redemption', redeemed({})],
    [
      'points that a voided payment is about to give back',
      async (world) => {
        await redeemed({ state: 'spent', spentPoints: 100, paymentId: 'pay_open' })(world);
        await world.copy('payment-hub', 'payments', 'pay_open', {
          ...{ id: 'pay_points', tender: { type: 'loyalty', token: 'rdm_one' }, state: 'voided' },
          ...{ amount: eur(100), authorizedAmount: eur(100), capturedAmount: eur(0) },
        });
        await world.change('loyalty-platform', 'redemptions', 'rdm_one', () => ({ paymentId: 'pay_points' }));
        await world.due('payment-hub', 'give-back-points', 'pay_points');
      },
    ],
    [
      'a gift card after a payment',
      async (world) => {
        await payment('pay_sent', { tender: { type: 'gift-card', token: 'gift_50' } })(world);
        await world.count('payment-hub', 'gift-card-balances', 'gift_50', { balance: -2490 });
      },
    ],
    [
      'a voided checkout whose tender is still pending at the provider and then voided by the Payment Hub',
      async (world) => {
        await transaction({ state: 'voided' })(world);
        await world.change('ecommerce-platform', 'baskets', 'bsk_till', () => ({ state: 'abandoned' }));
        await world.copy('payment-hub', 'payments', 'pay_open', {
          ...{ id: 'pay_till', orderId: 'ord_till', state: 'pending', voidOnApproval: true },
          ...{ authorizedAmount: eur(0), capturedAmount: eur(0) },
        });
        await world.due('payment-hub', 'approve-payment', 'pay_till');
      },
    ],
    [
      'a checkout that is being voided',
      async (world) => {
        await transaction({ state: 'voided', compensation: 'pending' })(world);
        await world.due('pos', 'undo-transaction', 'ord_till');
      },
    ],
    [
      'a stock movement that the SIM has scheduled',
      async (world) => {
        await allocation('res_open', { fulfilledQty: 3 })(world);
        await world.add('sim', 'movements', aMovement('late'));
        await world.due('sim', 'move-stock', 'res_open');
        await world.due('fms', 'take-stock', 'ful_rest');
      },
    ],
    [
      'a stock movement whose answer has not reached the SIM',
      async (world) => {
        await allocation('res_open', { fulfilledQty: 3 })(world);
        await world.add('sim', 'movements', aMovement('late'));
        await world.due('sim', 'move-stock', 'res_open');
        await world.change('inventory-service', 'holds', 'res_open', ({ moved }: { moved: object[] }) => ({
          moved: [...moved, { reference: 'late', kind: 'consume', allocations: [ONE_MUG] }],
        }));
        await world.move('stock', { onHand: -1, reserved: -1 });
        await world.move('units-moved', { shipped: 1 });
        await world.due('fms', 'take-stock', 'ful_rest');
      },
    ],
    [
      'the rest of a released hold that is about to be given back',
      async (world) => {
        await world.change('sim', 'reservations', 'res_open', () => ({ state: 'released' }));
        await world.due('sim', 'give-back-stock', 'res_open');
      },
    ],
    [
      'the rest of a released hold that was given back without an answer to the SIM',
      async (world) => {
        await world.change('sim', 'reservations', 'res_open', () => ({ state: 'released' }));
        await world.due('sim', 'give-back-stock', 'res_open');
        await hold('res_open', { state: 'released' })(world);
        await world.move('stock', { reserved: -1 });
      },
    ],
    [
      'a hold not yet recorded by the SIM',
      async (world) => {
        await world.add('inventory-service', 'holds', aHold('res_1', 3));
        await world.move('stock', { reserved: 3 });
        await world.add('sim', 'attempts', { id: 'res_1' });
        await world.due('sim', 'abort-hold', 'res_1');
      },
    ],
    [
      'a picking that was cancelled before the WMS learned of its start',
      (world) => world.copy('fms', 'fulfillment-orders', 'ful_rest', { id: 'ful_never', state: 'cancelled', pickingOrderId: 'pck_never' }),
    ],
    [
      'a scan whose webhook is queued',
      async (world) => {
        await fulfillmentOrder('ful_open', ({ shipments: [one] }) => ({ shipments: [{ ...one, state: 'collected' }] }))(world);
        await world.due('carrier-platform', 'deliver-webhook', 'shp_open.3');
      },
    ],
    [
      'a scan sent to the FMS by another client',
      async (world) => {
        await fulfillmentOrder('ful_open', ({ shipments: [one] }) => ({ shipments: [{ ...one, state: 'out-for-delivery' }] }))(world);
        const tracking = { id: 'shp_open', version: 1, newestOutsideScanAt: '2026-03-02T09:00:00.000Z', deliveryAttempts: 0 };
        await world.add('fms', 'trackings', tracking);
      },
    ],
    [
      'a scheduled capture',
      async (world) => {
        await order('ord_open', () => ({ captureStatus: 'retrying' }))(world);
        await world.due('oms', 'capture-payments', 'ord_open');
      },
    ],
    [
      'an order that waits for Route Order',
      async (world) => {
        await order('ord_new', () => ({ state: 'confirmed', routingStatus: 'manual' }))(world);
        await world.copy('payment-hub', 'payments', 'pay_open', authorisedForNew);
        await world.due('oms', 'expire-draft', 'ord_new', null);
      },
    ],
  ] as readonly (readonly [string, Break])[])('leaves alone %s', async (_what, change) => {
    const world = await soundWorld();
    await change(world);
    expect(await broken(world)).toEqual([]);
  });

  test('accepts an order that waits for a delivery that is put off, and not one whose delivery is parked', async () => {
    const world = await soundWorld();
    await fulfillmentOrder('ful_rest', () => ({ state: 'cancelled' }))(world);
    await fulfillmentOrder('ful_open', () => ({ state: 'cancelled' }))(world);
    const stuck = (await violationsOf(world))['moving'];
    expect(stuck).toHaveLength(1);
    const stored = { id: 'ful_rest', orderId: 'ord_open' };
    const id = await world.event('fms', 'fulfillment-order/ful_rest', 1, stored, ['oms']);
    await world.putOff('oms', id, stored, 'sim');
    const found = await world.verify();
    expect(found.find((one) => one.id === 'moving')).toMatchObject({
      violations: [],
      waiting: expect.arrayContaining([
        `fulfillment-order/ful_rest: OMS, which has not consumed ext.fulfillment-order-changed, waits for SIM`,
      ]),
    });
    expect(found.find((one) => one.id === 'parked')?.violations).toEqual([]);
    await world.park('oms', id);
    expect((await violationsOf(world))['moving']).toEqual(stuck);
  });

  test('names an ended order whose reservation waits for an application, and finds no violation before the work is parked', async () => {
    const world = await soundWorld();
    await order('ord_open', () => ({ state: 'cancelled' }))(world);
    expect(String((await violationsOf(world))['stock'])).toContain('its order/ord_open is cancelled');
    await world.due('oms', 'compensate', 'ord_open', undefined, 'sim');
    const found = await world.verify();
    expect(found.find((one) => one.id === 'stock')?.violations).toEqual([]);
    expect(found.find((one) => one.id === 'moving')?.waiting).toContain('order/ord_open: OMS, whose work compensate waits for SIM');
  });
});
