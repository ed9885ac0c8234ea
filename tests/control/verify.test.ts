import { expect, test } from '@jest/globals';
import { type BreakableWorld, eur, type Patch, REFERENCE, REFUND, soundWorld } from './broken-world.ts';

type Break = (world: BreakableWorld) => Promise<unknown>;
/** A violation that `verify` reports after these changes. */
type Case = readonly [violation: string, ...breaks: Break[]];

const AT = '2026-03-02T09:00:00.000Z';
const VOIDED = { state: 'voided' };
const BEING_VOIDED = { state: 'voided', compensation: 'pending' };
const NEVER_CAPTURED = { state: 'voided', capturedAmount: eur(0) };
const GIVEN = { priceSource: 'given' };
/** The event that created `ord_new`. */
const createdWith = (line: object, total = 1_490): Break => {
  const lines = [{ lineId: 'line-1', qty: 1, unitPrice: eur(1_000), lineTotal: eur(1_000), ...line }];
  return (world) => world.event('oms', 'order/ord_new', 1, { lines, totals: { total: eur(total) } });
};
const NOTED_ONCE = { tender: { type: 'external', provider: 'stripe', reference: 'ch_1' } };
const NOTED_REFUND = { ...REFUND, reference: undefined, providerReference: 're_1' };
const IN_CASH = { tender: { type: 'cash' }, tendered: eur(5000), change: eur(2510) };
const CREDIT = { type: 'exchange-credit' };
const GIFT_CARD = { type: 'gift-card', token: 'gift_50' };
const POINTS = { type: 'loyalty', token: 'rdm_one' };
const ONE_MUG = { sku: 'mug-blue', locationId: 'dc-01', qty: 1 };

function all(...breaks: readonly Break[]): Break {
  return async (world) => {
    for (const one of breaks) await one(world);
  };
}
function does<K extends Exclude<keyof BreakableWorld, 'verify'>>(method: K) {
  type Given = Parameters<BreakableWorld[K]>;
  return (...given: Given) =>
    (world: BreakableWorld) =>
      (world[method] as (...all: Given) => Promise<unknown>)(...given);
}
const [change, add, copy, move] = [does('change'), does('add'), does('copy'), does('move')];
const [due, parkDue, emit] = [does('due'), does('parkDue'), does('event')];
const twice = (one: Break) => all(one, one);

const order = (id: string, patch: Patch) => change('orders', id, patch);
const payment = (id: string, patch: object) => change('payments', id, patch);
const fulfillmentOrder = (id: string, patch: Patch) => change('fulfillment-orders', id, patch);
const transaction = (patch: object) => change('transactions', 'ord_till', patch);
/** Cash whose receipt does not add up. */
const CASH_TENDER = {
  id: 'pay_cash',
  version: 2,
  state: 'partially-refunded',
  tender: { type: 'cash' },
  amount: eur(1000),
  authorizedAmount: eur(1000),
  capturedAmount: eur(1000),
  refundedAmount: eur(100),
  tendered: eur(2000),
  change: eur(500),
};
const reservation = (patch: Patch) => change('reservations', 'res_open', patch);
const noExpiry = due('pos', 'expire-transaction', 'ord_till', null);
const noDraft = due('oms', 'expire-draft', 'ord_new', null);

/** Changes the only element of a list. */
function only(list: string, patch: object): Patch {
  return (record) => ({ [list]: [{ ...record[list][0], ...patch }] });
}
const line = (id: string, counters: object) => order(id, only('lines', counters));
const units = (id: string, counters: object) => fulfillmentOrder(id, only('lines', counters));
const parcel = (patch: object) => fulfillmentOrder('ful_open', only('shipments', patch));
const allocation = (counters: object) => reservation(only('allocations', counters));
const ended = (state: string) => [fulfillmentOrder('ful_open', { state }), fulfillmentOrder('ful_rest', { state: 'cancelled' })];

/** An order of two delivered mugs with a replacement. */
const replaced = (units: object) =>
  order('ord_sent', {
    replacements: [
      {
        id: 'rpl_1',
        reason: 'damaged',
        createdAt: AT,
        lines: [{ orderLineId: 'line-1', sku: 'mug-blue', qty: 1, deliveredQty: 0, failedQty: 0, ...units }],
      },
    ],
  });

/** An order whose lost parcel was found, and whose goods in its place failed and are refunded. */
const replacedOfFound = order('ord_sent', ({ lines }) => ({
  lines: [{ ...lines[0], fulfilledQty: 0, cancelledQty: 2 }],
  reconciliation: [{ fulfillmentOrderId: 'ful_sent', reason: 'delivered-after-replacement', at: AT }],
  replacements: [
    {
      id: 'rpl_1',
      reason: 'lost',
      createdAt: AT,
      lines: [{ orderLineId: 'line-1', sku: 'mug-blue', qty: 2, lostFulfillmentOrderId: 'ful_sent', deliveredQty: 0, failedQty: 2 }],
    },
  ],
}));

const AT_STORE = { locationId: 'store-01', readyBy: '2026-03-02T12:00:00.000Z' };
/** The parcel of `ful_open` goes to a store, although the stock records count it as shipped. */
const sentToStore = fulfillmentOrder('ful_open', { collection: AT_STORE });
const givenBack = change('holds', 'res_open', { state: 'released' });
const held = (qty: number) => add('holds', { id: 'res_1', state: 'held', allocations: [{ ...ONE_MUG, qty }] });
/** One unit of `res_open` is consumed at the SIM, but not at the Inventory Service. */
const consuming = all(
  allocation({ fulfilledQty: 3 }),
  add('movements', {
    id: 'res_open|late',
    reservationId: 'res_open',
    reference: 'late',
    kind: 'consume',
    pending: true,
    allocations: [ONE_MUG],
  }),
);
const requested = (id: string) => add('reservations', { id, state: 'requested', basketId: 'bsk_1', items: [], allocations: [] });
/** The last unit of `res_open` is not sent. */
const releasedRest = all(fulfillmentOrder('ful_rest', { state: 'cancelled' }), reservation({ state: 'released' }));
const ofTillBasket = (patch: object) =>
  all(reservation({ basketId: 'bsk_till', orderId: undefined }), change('baskets', 'bsk_till', patch));

const entry = (more: object = {}) => ({ type: 'earn', points: 0, at: AT, ...more });
/** Changes members of an account, and adds entries to its ledger. */
function account(members: object, entries: readonly object[] = [], accountId = 'loy_ada'): Break {
  return async (world) => {
    let booked = 0;
    await world.change('accounts', accountId, ({ entryCount }) => {
      booked = entryCount;
      return { entryCount: entryCount + entries.length, ...members };
    });
    for (const [index, one] of entries.entries())
      await world.add('ledger-entries', { id: `${accountId}.${booked + index + 1}`, accountId, ...one });
  };
}
const earning = (orderId: string, accountId = 'loy_ada') => account({}, [entry({ orderId })], accountId);
const worthPoints = order('ord_sent', { completedAt: '', earningAmount: eur(2000) });
const earned = (patch: object = {}) =>
  add('earnings', { id: 'ord_sent', earned: { points: 20, amount: 2000 }, takenBack: 0, refunds: [], ...patch });
const refundBooked = (booked: boolean) => earned({ refunds: [{ id: 'pay_sent.refund-1', booked }] });
const DISPUTE = { id: 'pay_sent.dispute-1', state: 'open', amount: eur(100), fee: eur(2000) };
const disputed = (more: object = {}) => payment('pay_sent', { disputes: [{ ...DISPUTE, ...more }] });
const refundedByHand = (more: object = {}) =>
  payment('pay_sent', {
    state: 'partially-refunded',
    refundedAmount: eur(1000),
    refunds: [{ amount: eur(1000), state: 'succeeded', ...more }],
  });
/** Removes a hundred points from the account `loy_ada`. */
const taken = account({ pointsBalance: 400 }, [entry({ type: 'redeem', points: -100 })]);
const REDEMPTION = { id: 'rdm_one', state: 'open', accountId: 'loy_ada', points: 100, paidAmount: 0, returnedAmount: 0 };
const redeemed = (patch: object = {}) =>
  all(taken, add('redemptions', { ...REDEMPTION, ...patch }), due('loyalty-platform', 'return-redemption', 'rdm_one'));
const spent = (paymentId: string, more: object = {}) => redeemed({ state: 'spent', paidAmount: 100, paymentId, ...more });

const restocked = [{ orderLineId: 'line-1', sku: 'mug-blue', qty: 1, condition: 'resellable', disposition: 'restock' }];
const RETURN = { orderId: 'ord_sent', dropOff: 'carrier', locationId: 'dc-01', resolution: 'refund', refundAmount: eur(1000) };
const LINE = { orderLineId: 'line-1', sku: 'mug-blue', qty: 1, reason: 'too small' };
const aReturn = (id: string, state: string, more: object = {}) =>
  add('returns', { id, state, ...RETURN, refunds: [], shipments: [], lines: [LINE], ...more });
const aBooking = (id: string, status: string) =>
  add('return-bookings', { id, orderId: 'ord_sent', status, lines: [{ orderLineId: 'line-1', qty: 1, amount: 1000 }] });
const third = (status: string, state: string, more?: object) => [aBooking('ret_three', status), aReturn('ret_three', state, more)];
const onItsWay = (state: string) => ({ id: 'shp_two', state, labelStatus: 'ready' });
/** Of the two mugs of `ord_sent`, one was returned and refunded, and one waits for its inspection. */
const comesBack = all(
  order('ord_sent', ({ lines: [one] }) => ({ state: 'return-in-progress', lines: [{ ...one, returnedQty: 1 }] })),
  aBooking('ret_one', 'refunded'),
  aBooking('ret_two', 'open'),
  aReturn('ret_one', 'refunded', { refunds: [{ paymentId: 'pay_sent', amount: eur(1000), state: 'succeeded' }], lines: restocked }),
  aReturn('ret_two', 'received'),
  refundedByHand({ returnId: 'ret_one', reference: 'return/ret_one/0' }),
  refundBooked(true),
  move('stock', { onHand: 1 }),
  move('units-moved', { returned: 1 }),
);
const comingBack = (...breaks: Break[]) => all(comesBack, ...breaks);
const returned = (id: string, patch: object) => comingBack(change('returns', id, patch));
const booked = (patch: object) => comingBack(change('return-bookings', 'ret_two', only('lines', patch)));
const refunding = (patch: object) =>
  comingBack(change('returns', 'ret_two', patch), change('return-bookings', 'ret_two', { status: 'refunding' }));
const credit = (returnId: string, amount: number) =>
  comingBack(
    copy('payments', 'pay_open', { id: 'pay_credit', tender: CREDIT, returnId, state: 'authorised', authorizedAmount: eur(amount) }),
  );
const refundOf = (returnId: string) => (amount: number) => ({ amount: eur(amount), state: 'succeeded', returnId });

const uses = (code: string, by: Readonly<Record<string, number>>) => move('voucher-uses', by, code);
const usedOnce = uses('WELCOME10', { used: 1 });
const holdsUse = (name: string, more: object = {}) =>
  add('basket-vouchers', { id: `bsk_${name}`, state: 'redeemed', codes: [{ code: 'WELCOME10', accepted: true }], ...more });
const ofVoucher = order('ord_open', { voucherCodes: ['welcome10'] });

const unrouted = all(order('ord_new', { state: 'confirmed', routingStatus: 'manual' }), noDraft);
/** A payment that covers `ord_new`. */
const payNew = (state: string) =>
  copy('payments', 'pay_open', {
    id: 'pay_new',
    orderId: 'ord_new',
    state,
    capturedAmount: eur(0),
    amount: eur(1490),
    authorizedAmount: eur(1490),
  });
/** An order whose tax of 10 % was added: 1.00 to a line of 10.00, and 0.49 to shipping of 4.90. */
const taxed = ({ line = {}, ...more }: { readonly line?: object; readonly taxes?: object; readonly shippingTax?: undefined }) =>
  order('ord_new', ({ lines, totals }) => {
    const added = { taxIncluded: false, tax: eur(149), shippingTax: eur(49), total: eur(1639) };
    const taxes = [{ rate: 10, taxable: eur(1490), tax: eur(149) }];
    return {
      lines: lines.map((one: object) => ({ ...one, tax: eur(100), taxRate: 10, lineTotal: eur(1100), ...line })),
      totals: { ...totals, ...added, taxes, ...more },
    };
  });
const payTill = (more: object) => copy('payments', 'pay_open', { id: 'pay_till', orderId: 'ord_till', ...more });
const neverPicked = copy('fulfillment-orders', 'ful_rest', { id: 'ful_never', state: 'cancelled', pickingOrderId: 'pck_never' });
const REST = { id: 'ful_rest', orderId: 'ord_open' };
const parkedDelivery: Break = async (world) => world.park('oms', await world.event('fms', 'fulfillment-order/ful_rest', 1, REST, ['oms']));

const cases: Readonly<Record<string, readonly Case[]>> = {
  money: [
    ['payment/pay_sent: captured 2500 > authorised 2490', payment('pay_sent', { capturedAmount: eur(2500) })],
    ['payment/pay_sent: authorised 2490 > requested 2000', payment('pay_sent', { amount: eur(2000) })],
    ['payment/pay_back: refunded 1500 > captured 1490', payment('pay_back', { refundedAmount: eur(1500) })],
    ['payment/pay_back: its refunds add up to 0, not to 1490', payment('pay_back', { refunds: [] })],
    ['payment/pay_sent: amounts are not integers', payment('pay_sent', { capturedAmount: eur(2489.5) })],
    ['payment/pay_sent: cash of 5000 less change of 2000 does not pay 2490', payment('pay_sent', { ...IN_CASH, change: eur(2000) })],
    ['pay_sent: cash of 2000 less change of -490 does not', payment('pay_sent', { ...IN_CASH, tendered: eur(2000), change: eur(-490) })],
    ['payment/pay_sent: cash of 0 less change of 0 does not pay 2490', payment('pay_sent', { tender: { type: 'cash' } })],
    ['payment/pay_sent: card with cash of 2490 and change of 0', payment('pay_sent', { tendered: eur(2490) })],
    [
      'payment/pay_sent: cash of 5000 less change of 2510 does not pay 2490 and a rounding of 1',
      payment('pay_sent', { ...IN_CASH, rounding: eur(1) }),
    ],
    [
      'payment/pay_sent: cash of 5000 pays 2491 for 2490, and the smallest coin is 1',
      payment('pay_sent', { ...IN_CASH, change: eur(2509), rounding: eur(1) }),
    ],
    ['payment/pay_sent: card, and rounded as cash', payment('pay_sent', { rounding: eur(1) })],
    [
      'payment/pay_back: 1491 of 1490 are refunded in cash by its refund 1, and the smallest coin is 1',
      payment('pay_back', { tender: { type: 'cash' }, tendered: eur(1490), refunds: [{ ...REFUND, rounding: eur(1) }] }),
    ],
    ['payment/pay_sent: captured with 0 captured', payment('pay_sent', { capturedAmount: eur(0) })],
    ['payment/pay_sent: voided with 2490 captured', payment('pay_sent', { state: 'voided' })],
    ['payment/pay_back: captured with 1490 of 1490 refunded', payment('pay_back', { state: 'captured' })],
    ['payment/pay_sent: its refund 1 is pending, and nothing will decide it', refundedByHand({ state: 'pending' })],
    [
      'payment/pay_sent: its refund 1 is pending, and was decided at 2026-01-01',
      all(refundedByHand({ state: 'pending', decidedAt: '2026-01-01' }), due('payment-hub', 'decide-refund', 'pay_sent.refund-1')),
    ],
    ['payment/pay_sent: its refunds add up to 0, not to 1000', refundedByHand({ state: 'failed', failureReason: 'account_closed' })],
    ['payment/pay_sent: its refund 1 is failed with the reason undefined', refundedByHand({ state: 'failed' })],
    ['pay_sent: disputes withdrew 2491 and refunds 0 of 2490', disputed({ state: 'lost', amount: eur(2491), decidedAt: '2026-01-01' })],
    ['payment/pay_sent: disputed, and nothing will decide it', disputed()],
    ['pay_sent.dispute-1: open, decided at 2026-01-01', disputed({ decidedAt: '2026-01-01' })],
    ['pay_sent.dispute-1: 100 are disputed for a fee of 0', disputed({ fee: eur(0) })],
    ['payment/pay_sent: 2 disputes are open', payment('pay_sent', { disputes: [DISPUTE, DISPUTE] })],
    ['payment/pay_sent: to be refunded after a dispute, and none is open', payment('pay_sent', { refundWhenDecided: true })],
    ['payment/pay_sent: disputed, and paid by cash', payment('pay_sent', { tender: { type: 'cash' }, disputes: [DISPUTE] })],
    ['order/ord_new: lines 999 and shipping 490 are not', line('ord_new', { lineTotal: eur(999) })],
    ['order/ord_new: line discounts add up to 5, not to 0', line('ord_new', { discount: eur(5) })],
    ['order/ord_new: adds tax to prices that include it', order('ord_new', ({ totals }) => ({ totals: { ...totals, taxes: [] } }))],
    ['order/ord_new: its line line-1 of 1000 with 10 % adds a tax of 99', taxed({ line: { tax: eur(99) } })],
    ['order/ord_new: its line line-1 of 1000 with 10 % adds a tax of 100, and costs 1099', taxed({ line: { lineTotal: eur(1099) } })],
    ['order/ord_new: its tax of 10 % is 148 of 1490', taxed({ taxes: [{ rate: 10, taxable: eur(1490), tax: eur(148) }] })],
    ['order/ord_new: its taxes by rate add up to 0, and its tax is 149', taxed({ taxes: [] })],
    ['order/ord_new: lines 1100 and shipping 490 are not the total 1639', taxed({ shippingTax: undefined })],
    ['order/ord_new: totals do not add up', order('ord_new', ({ totals }) => ({ totals: { ...totals, subtotal: eur(1) } }))],
    ['order/ord_sent: payments of 4980', copy('payments', 'pay_sent', { id: 'pay_twice' })],
    ['order/ord_open: goods have left, and payment/pay_open keep 0 of the 3490', payment('pay_open', NEVER_CAPTURED)],
    ['order/ord_sent: goods have left, and payment/pay_sent keep 1490 of the 2490', refundedByHand({ reference: 'cancelled/line-1/1' })],
    ['gift_50: 4900 of 5000 are left, payments keep 0, and refunds added 0', move('gift-card-balances', { balance: -100 }, 'gift_50')],
    ['gift card gift_50: 5000 of 5000 are left, payments keep 2490, and refunds added 0', payment('pay_sent', { tender: GIFT_CARD })],
    ['order/ord_open: 3500 count as committed, and its payments commit 3490', move('order-covers', { committed: 3500 }, 'ord_open')],
    ['order/ord_open: 2 payments are counted, and it has 1', move('order-covers', { payments: 2 }, 'ord_open')],
  ],
  vouchers: [
    ['WELCOME10: used 1 times; 0 uses are preset, and checkouts and orders hold 0', uses('WELCOME10', { used: 1 })],
    ['WELCOME10: used 0 times; 0 uses are preset, and checkouts and orders hold 1', holdsUse('open')],
    ['voucher/MIN100: used 17 times; 16 uses are preset', uses('MIN100', { preset: -1 })],
    ['voucher/WELCOME10: -1 uses are preset', uses('WELCOME10', { used: -1, preset: -1 })],
    ['voucher/MIN100: 484 of 500 uses are left after 17', uses('MIN100', { left: 1 })],
    ['voucher/WELCOME10: 1 of unlimited uses are left after 0', uses('WELCOME10', { left: 1 })],
    ['basket/bsk_back: holds a use of WELCOME10 without a checkout or an order, and', holdsUse('back'), usedOnce],
    ['basket/bsk_left: holds a use of WELCOME10 without a checkout or an order, and', holdsUse('left'), usedOnce],
    ['order/ord_open: in-fulfilment, and holds no use of its vouchers welcome10', ofVoucher],
    ['order/ord_open: in-fulfilment, and holds no use of its vouchers welcome10', ofVoucher, holdsUse('open', { state: 'released' })],
  ],
  points: [
    ['loyalty-account/loy_ada: entries add up to 500', account({ pointsBalance: 501 })],
    ['loyalty-account/loy_ada: negative balance -1', account({ pointsBalance: -1 }, [entry({ type: 'redeem', points: -501 })])],
    ['loy_ada: 50 points are still to be', account({ lifetimePoints: 600, shortfall: 50 }, [entry({ type: 'reverse', shortfall: 50 })])],
    ['loy_ada: 50 points too many', account({ pointsBalance: 450 }, [entry({ type: 'reverse', points: -50, shortfall: -50 })])],
    ['loyalty-account/loy_ada: it counts 4 entries, and the ledger has 5', account({ entryCount: 4 }, [entry()])],
    ['loyalty-account/loy_ada: its shortfall is 0, and the entries add up to 50', account({}, [entry({ type: 'reverse', shortfall: 50 })])],
    ['loy_ada: 100 points were redeemed and not given back, and its redemptions keep 0', taken],
    ['loy_ada: 100 points were redeemed and not given back, and its redemptions keep 200', redeemed({ points: 200 })],
    ['redemption/rdm_one: open, and nothing', redeemed(), due('loyalty-platform', 'return-redemption', 'rdm_one', null)],
    ['redemption/rdm_one: spent by payment/pay_gone, which does not exist', spent('pay_gone')],
    ['payment/pay_open: it has an amount of 3490 from points, and 0 was redeemed for it', payment('pay_open', { tender: POINTS })],
    [
      'pay_open: it has an amount of 0 from points, and 100 was',
      spent('pay_open'),
      payment('pay_open', { tender: POINTS, ...NEVER_CAPTURED }),
    ],
    ['order/ord_sent: completed, and loyalty-account/loy_ada earned nothing for it', worthPoints],
    [
      'order/ord_sent: worth 20 points, and it earned 1',
      worthPoints,
      earned(),
      account({ pointsBalance: 501, lifetimePoints: 651 }, [entry({ points: 1, orderId: 'ord_sent' })]),
    ],
    ['loyalty-account/loy_ada: earned 0 points for order/ord_nobody, which does not exist', earning('ord_nobody')],
    ['loyalty-account/loy_ada: earned 0 points for order/ord_new, which was never completed', earning('ord_new')],
    ['loyalty-account/loy_clara: earned 0 points for order/ord_sent, which belongs to another customer', earning('ord_sent', 'loy_clara')],
    ['redemption/rdm_one: made for order/ord_new, and it paid for order/ord_sent', spent('pay_sent', { orderId: 'ord_new' })],
    ['redemption/rdm_one: made for basket/bsk_new, and it paid for order/ord_sent', spent('pay_sent', { basketId: 'bsk_new' })],
    ['rdm_one: made for loyalty-account/loy_ada', order('ord_sent', { loyaltyAccountId: 'loy_clara' }), spent('pay_sent')],
    ['loyalty-account/loy_ada: 1650 lifetime points, and its entries leave 650', account({ lifetimePoints: 1650, tier: 'silver' })],
    ['loyalty-account/loy_ada: gold with 650 lifetime points, which reach bronze', account({ tier: 'gold' })],
    ['order/ord_sent: earned 20 points, and 21 were taken back', earned({ takenBack: 21 })],
    [
      'order/ord_sent: its goods and payments were worth 1000 when it was completed, and it earned for 2000',
      worthPoints,
      earned(),
      line('ord_sent', { fulfilledQty: 1, cancelledQty: 1 }),
    ],
    [
      'order/ord_sent: its customer keeps goods of 1000 that are paid and earn 10 points, and the order keeps 20',
      worthPoints,
      refundedByHand({ reference: 'cancelled/line-1/1' }),
      refundBooked(true),
    ],
    [
      'order/ord_sent: its customer keeps goods of 2000 that are paid and earn 20 points, and the order keeps 10',
      worthPoints,
      earned({ takenBack: 10, refunds: [{ id: 'pay_sent.refund-1', booked: true }] }),
      refundedByHand({ state: 'failed', failureReason: 'account_closed' }),
    ],
    ['order/ord_sent: earned, and a refund of it has not been booked', refundBooked(false)],
    ['pay_sent.refund-1: the Loyalty Platform has not received it', refundedByHand()],
  ],
  stock: [
    ['stock/mug-blue|dc-01: on hand -1005', move('stock', { onHand: -2_000 })],
    ['stock/mug-blue|dc-01: ATP -1006', move('stock', { safetyStock: 2_000 })],
    ['stock/mug-blue|dc-01: open reservations have 1 units, and 2 are reserved', move('stock', { reserved: 1 })],
    ['stock/mug-blue|dc-01: open reservations have 1 units, and 0 are reserved', givenBack, move('stock', { reserved: -1 })],
    ['res_open mug-blue|dc-01: it has 1, and 0 are reserved for it', givenBack, held(1)],
    ['stock/mug-blue|dc-01: open reservations have 0 units, and 1 are reserved', reservation({ state: 'released' })],
    ['fulfillment-order/ful_rest: picking, and its reservation/res_open is released', reservation({ state: 'released' })],
    ['fulfillment-order/ful_rest: picking, and its reservation/res_open is requested', reservation({ state: 'requested' })],
    ['res_open mug-blue|dc-01: it has 1, and 0 are reserved for it', consuming, givenBack, move('stock', { reserved: -1 })],
    ['stock/mug-blue|dc-01: received 1000 + returned 1 + found 0 + recounted 0 is not on hand 994', move('stock', { onHand: -1 })],
    ['stock/mug-blue|store-01: received 50', move('stock', { onHand: 1 }, 'mug-blue|store-01')],
    ['stock/mug-blue|dc-01: 5 shipped in the reservations, and 6 in the counters', move('units-moved', { shipped: 1 })],
    ['0 writtenOff in the reservations, and 1 in the counters', allocation({ cancelledQty: 0 })],
    ['stock/mug-blue: 1 are on their way to stores, and fulfillment orders sent 0', move('units-moved', { sent: 1 })],
    ['stock/mug-blue: -1 are on their way to stores, and fulfillment orders sent 0', move('units-moved', { received: 1 })],
    ['stock/mug-blue: 0 are on their way to stores, and fulfillment orders sent 2', sentToStore],
    ['stock/mug-blue|dc-01: open reservations have 0 units, and 1 are reserved', allocation({ inTransitTo: 'store-01' })],
    ['fulfillment-order/ful_open: dispatched, and its reservation/res_open is fulfilled', sentToStore, reservation({ state: 'fulfilled' })],
    [
      'fulfillment-order/ful_open: 2 of mug-blue|store-01 wait at the counter, and reservation/res_open has 0',
      fulfillmentOrder('ful_open', { collection: { ...AT_STORE, readyAt: AT_STORE.readyBy } }),
    ],
    ['1 came back with fulfillment-order/ful_back, and 0 are on hand again', move('units-moved', { returned: -1 })],
    ['stock/mug-blue|dc-01: units moved are negative', move('units-moved', { found: -1 })],
    ['reservation/res_sent: 2 of mug-blue|dc-01 left it, and its fulfillment orders sent 1', units('ful_sent', { pickedQty: 1 })],
    ['bsk_open: it has 2 open reservations: reservation/res_open', copy('reservations', 'res_open', { id: 'res_other' })],
    // An open reservation is a violation even if its release is parked.
    ...([undefined, 'sim'] as const).map(
      (awaits): Case => [
        'reservation/res_open: confirmed, and its order/ord_open is cancelled',
        order('ord_open', { state: 'cancelled' }),
        parkDue('oms', 'compensate', 'ord_open', awaits),
      ],
    ),
    ['reservation/res_open: confirmed, and its order/ord_open is completed', order('ord_open', { state: 'completed' })],
    ['reservation/res_open: confirmed, and its order/ord_sent is completed', ofTillBasket({ state: 'converted', orderId: 'ord_sent' })],
    ['reservation/res_open: confirmed, and its basket/bsk_till is merged', ofTillBasket({ state: 'merged' })],
    [
      'confirmed, and its transaction/ord_till is',
      reservation({ basketId: undefined, orderId: 'ord_till' }),
      noExpiry,
      transaction(VOIDED),
    ],
  ],
  fulfilment: [
    ['order/ord_sent line-1: 2 delivered and 1 cancelled of 2', line('ord_sent', { cancelledQty: 1 })],
    ['order/ord_open line-1: 1 returned of 0 delivered', line('ord_open', { returnedQty: 1 })],
    ['order/ord_open line-1: units are not integers', line('ord_open', { cancelledQty: -1 })],
    ['order/ord_open line-1: fulfillment-order/ful_open, fulfillment-order/ful_rest have 4', units('ful_rest', { qty: 2 })],
    ['pck_open line-1: picked 1 at the WMS, and 2 at', change('picking-orders', 'pck_open', only('lines', { pickedQty: 1 }))],
    ['have 3 and 1 are cancelled, of 3', line('ord_open', { cancelledQty: 1 })],
    ['order/ord_sent line-1: 1 delivered, and its fulfillment orders delivered 2', line('ord_sent', { fulfilledQty: 1 })],
    ['order/ord_open line-1: completed with 0 delivered and 0 cancelled of 3', order('ord_open', { state: 'completed' })],
    ['fulfillment-order/ful_rest: belongs to order/ord_gone', fulfillmentOrder('ful_rest', { orderId: 'ord_gone' })],
    ['fulfillment-order/ful_rest line-1: picked 1 and short 1 of 1', units('ful_rest', { pickedQty: 1, shortQty: 1 })],
    ['picking-order/pck_gone, which the WMS does not have', fulfillmentOrder('ful_rest', { pickingOrderId: 'pck_gone' })],
    ['pck_rest: picks fulfillment-order/ful_open, which', change('picking-orders', 'pck_rest', { fulfillmentOrderId: 'ful_open' })],
    ['shipment/shp_open: in-transit at the carrier, collected at fulfillment-order/ful_open', parcel({ state: 'collected' })],
    ['shipment/shp_gone: belongs to fulfillment-order/ful_open, and the carrier has no record of it', parcel({ id: 'shp_gone' })],
    ['shipment/shp_gone: belongs to no fulfillment order', copy('shipments', 'shp_open', { id: 'shp_gone' })],
  ],
  returns: [
    ['pay_open: a credit of return/ret_gone, which has no record', payment('pay_open', { tender: CREDIT, returnId: 'ret_gone' })],
    ['pay_open: a credit of return/ret_two pays order/ord_open', comingBack(payment('pay_open', { tender: CREDIT, returnId: 'ret_two' }))],
    ['ret_one: 1500 count as used, and 1000 were refunded and 0 credited', comingBack(move('return-covers', { used: 1500 }, 'ret_one'))],
    ['ord_sent: 500 count as exchanged, and the credits of its returns', comingBack(move('order-covers', { exchanged: 500 }, 'ord_sent'))],
    ['order/ord_sent: the credits of its returns hold 3000, and its payments keep 1490', credit('ret_two', 3000)],
    ['return/ret_gone: it has no record at the OMS', aReturn('ret_gone', 'requested')],
    ['return/ret_gone: open at the OMS, and the FMS does not have it', aBooking('ret_gone', 'open')],
    ['return/ret_two: refunded, and open at the OMS', returned('ret_two', { state: 'refunded' })],
    ['return/ret_two: line-1 × 1, booked are line-1 × 2', booked({ qty: 2 })],
    ['return/ret_two: worth 1000, booked is 999', booked({ amount: 999 })],
    ['return/ret_two: a tax of 0 of 1000, booked is 1', booked({ tax: 1 })],
    ['return/ret_two: a tax of 1 of 1000, booked is 0', returned('ret_two', { refundTax: eur(1) })],
    ['return/ret_two: the customer brings the goods to dc-01, which is not a store', returned('ret_two', { dropOff: 'store' })],
    ['return/ret_two: belongs to order/ord_open, and is booked on', returned('ret_two', { orderId: 'ord_open' })],
    ['2 returned, and its returns count 1', comingBack(line('ord_sent', { returnedQty: 2 }))],
    ['order/ord_sent line-1: 1 returned and 2 announced of 2 delivered', comingBack(...third('open', 'requested'))],
    ['ret_two: rejected, and its goods are in', returned('ret_two', { state: 'rejected', shipments: [onItsWay('in-transit')] })],
    ['ret_two: in-transit, and its shipment/shp_two is', returned('ret_two', { state: 'in-transit', shipments: [onItsWay('delivered')] })],
    [
      'order/ord_sent line-1: 3 returned or on their way back, and 2 delivered',
      comingBack(
        change('returns', 'ret_two', { state: 'rejected', shipments: [onItsWay('collected')] }),
        ...third('refunded', 'refunded', { lines: restocked }),
      ),
    ],
    [
      'return/ret_two: rejected, and it has a refund that is failed',
      comingBack(
        change('returns', 'ret_two', { state: 'rejected' }),
        payment('pay_sent', { refunds: [refundOf('ret_one')(1000), { ...refundOf('ret_two')(100), state: 'failed' }] }),
      ),
    ],
    ['order/ord_sent line-1: all units are returned or cancelled, worth 1999 of 2000', booked({ amount: 999 })],
    ['order/ord_sent: completed, its open returns are return/ret_two', comingBack(order('ord_sent', { state: 'completed' }))],
    ['ret_one: 1100 refunded and 0 credited', comingBack(payment('pay_sent', { refunds: [1000, 100].map(refundOf('ret_one')) }))],
    ['return/ret_one: 1000 refunded and 1 credited of 1000', credit('ret_one', 1)],
    ['ret_one: refunded, and 0 of 1000 were refunded for it', comingBack(payment('pay_sent', { refundedAmount: eur(0), refunds: [] }))],
    ['return/ret_one: its refunds add up to 0, and the Payment Hub refunded 1000 for it', returned('ret_one', { refunds: [] })],
    ['ret_two: a payment of order/ord_back was refunded for it', comingBack(payment('pay_back', { refunds: [refundOf('ret_two')(1490)] }))],
    [
      'return/ret_one: refunded, and 1000 of its refunds are pending',
      returned('ret_one', { refunds: [{ paymentId: 'pay_sent', amount: eur(1000), state: 'pending' }] }),
    ],
    [
      'stock/mug-blue|dc-01: 3 returned, and returns and failed deliveries brought 2 back',
      comingBack(move('units-moved', { returned: 1 })),
    ],
    ['stock/mug-blue|dc-01: 1 scrapped, and returns and failed deliveries brought 0 back', move('units-moved', { scrapped: 1 })],
    ['stock/mug-blue|dc-01: 2 returned, and returns and failed deliveries brought 3 back', returned('ret_two', { lines: restocked })],
  ],
  till: [
    ['transaction/ord_till: open, and nothing will move it', noExpiry],
    ['transaction/ord_till: being undone, and nothing will move it', transaction(BEING_VOIDED), noExpiry],
    ['transaction/ord_till: voided, and payment/pay_till is authorised', transaction(VOIDED), payTill({ state: 'authorised' })],
    [
      'transaction/ord_till: voided, and payment/pay_till is captured',
      transaction(VOIDED),
      payTill({ state: 'captured', capturedAmount: eur(1490) }),
    ],
    ['transaction/ord_till: voided, and basket/bsk_till is locked', transaction(VOIDED)],
    ['transaction/ord_till: voided, and order/ord_till is draft', transaction(VOIDED), copy('orders', 'ord_new', { id: 'ord_till' })],
    [
      'transaction/ord_till: payment/pay_cash pays 900, 100 was given back and 500 is change, of cash of 2000',
      transaction({ tenders: [CASH_TENDER] }),
    ],
    ['transaction/ord_till: completed, and order/ord_till is missing', transaction({ state: 'completed' })],
    ['basket/bsk_till: locked for transaction/ord_gone, and nobody', change('baskets', 'bsk_till', { transactionId: 'ord_gone' })],
  ],
  replacements: [
    ['order/ord_sent line-1: 3 replaced of 2 delivered', replaced({ qty: 3, deliveredQty: 3 })],
    ['order/ord_sent line-1: 3 being replaced and 0 returned of 2 delivered', replaced({ qty: 3 })],
    ['order/ord_sent rpl_1 line-1: 0 of 1 are sent, and nothing will send the others', replaced({})],
    ['order/ord_sent rpl_1 line-1: 2 sent in place of 1', replaced({}), fulfillmentOrder('ful_sent', { replacementId: 'rpl_1' })],
    ['order/ord_sent rpl_1: 2 arrived and 0 failed of 1', replaced({ deliveredQty: 2 })],
    ['order/ord_sent: 2 failed in place of units of fulfillment-order/ful_sent, which was delivered, and are refunded', replacedOfFound],
    [
      'fulfillment-order/ful_sent: serves the replacement rpl_gone, which order/ord_sent does not have',
      fulfillmentOrder('ful_sent', { replacementId: 'rpl_gone' }),
    ],
    [
      'order/ord_sent rpl_1 line-1: 2 come back, and it was sent for 1',
      replaced({}),
      add('return-bookings', {
        ...{ id: 'ret_rpl', orderId: 'ord_sent', status: 'open', replacementId: 'rpl_1' },
        lines: [{ orderLineId: 'line-1', qty: 2, amount: 0 }],
      }),
    ],
    [
      'order/ord_sent line-1: 1 without the replacement that they came back for, and 2 returned, of 2 delivered',
      replaced({ failedQty: 1 }),
      ...[
        { id: 'ret_rpl', qty: 1, replacementId: 'rpl_1' },
        { id: 'ret_more', qty: 2 },
      ].map(({ qty, ...booking }) =>
        add('return-bookings', { ...booking, orderId: 'ord_sent', status: 'open', lines: [{ orderLineId: 'line-1', qty, amount: 0 }] }),
      ),
    ],
  ],
  given: [
    [
      'order/ord_new: its lines contain a tax of',
      order('ord_new', (found) => ({ priceSource: 'given', totals: { ...found.totals, tax: eur(9_999) } })),
    ],
    ['order/ord_new line-1: a unit costs 1000, given was 1', order('ord_new', GIVEN), createdWith({ unitPrice: eur(1) })],
    ['order/ord_new line-1: costs 1000, given was 999', order('ord_new', GIVEN), createdWith({ lineTotal: eur(999) })],
    ['order/ord_new: costs 1490, given was 1489', order('ord_new', GIVEN), createdWith({}, 1_489)],
    [
      'payment/pay_open: by card with the provider stripe',
      payment('pay_open', { tender: { type: 'card', provider: 'stripe', reference: 'ch_1' } }),
    ],
    ['notes stripe ch_1, as payment/pay_', payment('pay_open', NOTED_ONCE), payment('pay_sent', NOTED_ONCE)],
    ['payment/pay_back: notes a refund twice: re_1, re_1', payment('pay_back', { refunds: [NOTED_REFUND, NOTED_REFUND] })],
  ],
  references: [
    ['order/ord_new: has the reference "1" of "shop", as order/ord_sent has', change('orders', 'ord_sent', { reference: REFERENCE })],
    ['order/ord_sent: its reference "2" of "shop" finds nothing', change('orders', 'ord_sent', { reference: { source: 'shop', id: '2' } })],
    ['order/ord_new: the reference shop 1 finds it, and it has another one or none', change('orders', 'ord_new', { reference: undefined })],
  ],
  'one-effect': [
    ['order of basket bsk_new: 2 times, ord_new, ord_too', copy('orders', 'ord_new', { id: 'ord_too' })],
    ['open reservation of basket bsk_1: 2 times, res_1, res_2', requested('res_1'), requested('res_2')],
    ['picking order of fulfillment-order ful_rest: 2 times, pck_rest, pck_too', copy('picking-orders', 'pck_rest', { id: 'pck_too' })],
    ['refund of payment/pay_back under cancelled/line-1/1: 2 times', payment('pay_back', { refunds: [REFUND, REFUND] })],
    ['earn at loyalty-account/loy_ada for order ord_sent: 2 times', twice(earning('ord_sent'))],
    ['points issued to loyalty-account/loy_ada for case-4711', twice(account({}, [entry({ type: 'issue', reference: 'case-4711' })]))],
    ['loyalty-account/loy_ada for pay_sent.refund-1: 2', twice(account({}, [entry({ type: 'reverse', reference: 'pay_sent.refund-1' })]))],
    ['ext.order-changed order/ord_new v1: 2 times', twice(emit('oms', 'order/ord_new', 1, {}))],
  ],
  'event-versions': [
    ['order/ord_new: no event for version 2', order('ord_new', { version: 2 })],
    ['order/ord_new: events beyond version 1', emit('oms', 'order/ord_new', 2, {})],
    ['order/ord_gone: events of an object that does not exist', emit('oms', 'order/ord_gone', 1, {})],
  ],
  moving: [
    ['order/ord_open: it waits for the OMS, which finishes', order('ord_open', { pendingAction: { action: 'cancel', since: '' } })],
    ['order/ord_back: compensation is pending', order('ord_back', { compensation: 'pending' })],
    ['order/ord_new: it waits for the OMS, which cancels the draft', noDraft],
    ['this work (route-order) is missing', order('ord_open', { routingStatus: 'retrying' })],
    ['this work (capture-payments) is missing', order('ord_open', { captureStatus: 'retrying' })],
    ['order/ord_new: confirmed, payments bind 0 of 1490', unrouted, payNew('voided')],
    ['order/ord_new: confirmed with no fulfillment order, and nothing', order('ord_new', { state: 'confirmed' }), noDraft],
    ['ord_open: in-fulfilment with fulfillment-order/ful_open delivered, fulfillment-order/ful_rest cancelled', ...ended('delivered')],
    ['fulfillment-order/ful_rest: created, and nothing', fulfillmentOrder('ful_rest', { state: 'created' })],
    ['fulfillment-order/ful_open: failed-delivery, and nothing', fulfillmentOrder('ful_open', { state: 'failed-delivery' })],
    ['fulfillment-order/ful_open: dispatched, and nothing', fulfillmentOrder('ful_open', { shipments: [] })],
    ['fulfillment-order/ful_rest: picking, and order/ord_open is cancelled', order('ord_open', { state: 'cancelled' })],
    ['return/ret_two: inspected, and nothing will move it', refunding({ state: 'inspected' })],
    ['return/ret_two: in-transit, and nothing will move it', returned('ret_two', { state: 'in-transit', shipments: [onItsWay('lost')] })],
    ['return/ret_two: in-transit, and nothing will move it', refunding({ state: 'in-transit', writtenOffAt: AT })],
    ['return/ret_two: received, and nothing will move it', returned('ret_two', { rejecting: { since: '' } })],
    ['payment/pay_open: it waits for the Payment Hub, which fails', payment('pay_open', { state: 'pending' })],
    ['reservation/res_1: requested, and nothing will ever', requested('res_1')],
  ],
  parked: [
    ['order/ord_open: the work redeem-vouchers of OMS is parked: failed too often', parkDue('oms', 'redeem-vouchers', 'ord_open')],
    ['fulfillment-order/ful_open: the work write-off of FMS is parked: failed too often', parkDue('fms', 'write-off', 'ful_open', 'sim')],
    ['due oms|finish-creation|bsk_gone: the work finish-creation of OMS is parked', parkDue('oms', 'finish-creation', 'bsk_gone')],
    ['ful_rest: OMS has not consumed ext.fulfillment-order-changed, which is parked: poison', parkedDelivery],
  ],
  replay: [['ord_new: its last event, version 1, differs from the stored object', emit('oms', 'order/ord_new', 1, { id: 'ord_new' })]],
};

/** States that may occur at any time, and that `verify` accepts. */
const allowed: Readonly<Record<string, Break>> = {
  'goodwill refunded by hand': all(refundedByHand(), refundBooked(true)),
  'a use of a voucher that an order holds': all(ofVoucher, holdsUse('open'), usedOnce),
  'a use of a voucher that a checkout holds': all(holdsUse('till', { state: 'locked' }), usedOnce),
  'a use of a voucher that a cancelled order is about to return': all(holdsUse('back'), usedOnce, due('oms', 'compensate', 'ord_back')),
  'open points of a redemption': redeemed(),
  'points that a voided payment is about to give back': all(
    spent('pay_points'),
    copy('payments', 'pay_open', { id: 'pay_points', tender: POINTS, ...NEVER_CAPTURED, amount: eur(100), authorizedAmount: eur(100) }),
    due('payment-hub', 'give-back-points', 'pay_points'),
  ),
  'a gift card after a payment': all(payment('pay_sent', { tender: GIFT_CARD }), move('gift-card-balances', { balance: -2490 }, 'gift_50')),
  'a voided checkout whose tender is still pending at the provider and then voided by the Payment Hub': all(
    transaction(VOIDED),
    change('baskets', 'bsk_till', { state: 'abandoned' }),
    payTill({ state: 'pending', voidOnApproval: true, authorizedAmount: eur(0), capturedAmount: eur(0) }),
    due('payment-hub', 'approve-payment', 'pay_till'),
    due('payment-hub', 'give-up-payment', 'pay_till'),
  ),
  'a checkout that is being voided': all(transaction(BEING_VOIDED), due('pos', 'undo-transaction', 'ord_till')),
  'a stock movement that the SIM has scheduled': all(consuming, due('sim', 'move-stock', 'res_open'), due('fms', 'take-stock', 'ful_rest')),
  'a stock movement whose answer has not reached the SIM': all(
    consuming,
    due('sim', 'move-stock', 'res_open'),
    change('holds', 'res_open', ({ moved }) => ({ moved: [...moved, { reference: 'late', kind: 'consume', allocations: [ONE_MUG] }] })),
    move('stock', { onHand: -1, reserved: -1 }),
    move('units-moved', { shipped: 1 }),
    due('fms', 'take-stock', 'ful_rest'),
  ),
  'the rest of a released reservation that is about to be given back': all(releasedRest, due('sim', 'give-back-stock', 'res_open')),
  'the rest of a released reservation that was given back without an answer to the SIM': all(
    releasedRest,
    due('sim', 'give-back-stock', 'res_open'),
    givenBack,
    move('stock', { reserved: -1 }),
  ),
  'a reservation not yet recorded by the SIM': all(
    held(3),
    move('stock', { reserved: 3 }),
    add('attempts', { id: 'res_1' }),
    due('sim', 'abort-hold', 'res_1'),
  ),
  'a picking that was cancelled before the WMS received its start': neverPicked,
  'a scan whose webhook is queued': all(parcel({ state: 'collected' }), due('carrier-platform', 'deliver-webhook', 'shp_open.3')),
  'a scan sent to the FMS by another client': all(
    parcel({ state: 'out-for-delivery' }),
    add('trackings', { id: 'shp_open', newestOutsideScanAt: AT, deliveryAttempts: 0 }),
  ),
  'a scheduled capture': all(order('ord_open', { captureStatus: 'retrying' }), due('oms', 'capture-payments', 'ord_open')),
  'an order that waits for Route Order': all(unrouted, payNew('authorised')),
};

/** The outcome of each invariant. */
const outcomes = async (world: BreakableWorld) => Object.fromEntries((await world.verify()).map(({ id, ...outcome }) => [id, outcome]));
const violations = async (world: BreakableWorld, id: string) => (await outcomes(world))[id]?.violations;
/** All violations except missing events: records written past the applications have no events. */
const broken = async (world: BreakableWorld) =>
  (await world.verify()).flatMap(({ id, violations: found }) => (id === 'event-versions' ? [] : found));

test('Verify reports no violation of a sound world, checks every invariant, and names the applications that open orders wait for', async () => {
  const results = await (await soundWorld()).verify();
  expect(results.flatMap(({ violations: found }) => found)).toEqual([]);
  expect(results.map(({ id, holds }) => [id, holds])).toEqual(Object.keys(cases).map((id) => [id, true]));
  for (const { id, checked } of results) expect([id, checked > 0 || id === 'replay']).toEqual([id, true]);
  expect(results.find(({ id }) => id === 'moving')?.waiting).toEqual([
    'order/ord_open: the carrier, fulfillment-order/ful_open is dispatched',
    'order/ord_open: the warehouse, fulfillment-order/ful_rest is picking',
    'order/ord_new: the OMS has work queued',
  ]);
});

test('Verify reports no violation of a sound world with returns, and names the applications that they wait for', async () => {
  const world = await soundWorld();
  await comesBack(world);
  expect(await broken(world)).toEqual([]);
  expect((await outcomes(world))['moving']?.waiting).toContain('order/ord_sent: the warehouse, return/ret_two is received');
});

test.each(Object.entries(cases).flatMap(([id, all]) => all.map(([violation, ...breaks]) => [id, violation, breaks] as const)))(
  'Verify reports under %s: %s',
  async (id, violation, breaks) => {
    const world = await soundWorld();
    await all(...breaks)(world);
    expect(await violations(world, id)).toEqual(expect.arrayContaining([expect.stringContaining(violation)]));
  },
);

test.each(Object.entries(allowed))('Verify accepts %s', async (_what, happens) => {
  const world = await soundWorld();
  await happens(world);
  expect(await broken(world)).toEqual([]);
});

test('Verify accepts an order that waits for a deferred delivery, and reports one that waits for a parked delivery', async () => {
  const world = await soundWorld();
  await all(...ended('cancelled'))(world);
  const stuck = await violations(world, 'moving');
  expect(stuck).toHaveLength(1);
  const id = await world.event('fms', 'fulfillment-order/ful_rest', 1, REST, ['oms']);
  await world.postpone('oms', id, REST, 'sim');
  const waits = 'fulfillment-order/ful_rest: OMS, which has not consumed ext.fulfillment-order-changed, waits for SIM';
  expect(await outcomes(world)).toMatchObject({
    moving: { violations: [], waiting: expect.arrayContaining([waits]) },
    parked: { violations: [] },
  });
  await world.park('oms', id);
  expect(await violations(world, 'moving')).toEqual(stuck);
});

test('Verify names an ended order whose reservation waits for an application, and reports no violation', async () => {
  const world = await soundWorld();
  await order('ord_open', { state: 'cancelled' })(world);
  await world.due('oms', 'compensate', 'ord_open', undefined, 'sim');
  expect(await outcomes(world)).toMatchObject({
    stock: { violations: [] },
    moving: { waiting: expect.arrayContaining(['order/ord_open: OMS, whose work compensate waits for SIM']) },
  });
});
