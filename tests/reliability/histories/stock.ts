import fc from 'fast-check';
import { about, kind, note, of, orNot, qty, sku } from './running-history.ts';

const location = fc.constantFrom('dc-01', 'dc-02', 'store-01');

export const stock = {
  reserve: kind({ sku, qty, ttlSeconds: fc.constantFrom(30, 900), locationId: orNot(location) }, async ({ ask, things }, given) => {
    const where = given.locationId === null ? {} : { locationId: given.locationId };
    const body = { items: [{ sku: given.sku, qty: given.qty }], ttlSeconds: given.ttlSeconds, ...where };
    note(things.holds, await ask('reserve-inventory-api', { body }));
  }),
  /** The existing reservation of the basket, another one in its place, or the reservation of its checkout. */
  'reserve-basket': kind(
    { of, ttlSeconds: orNot(fc.constantFrom(30, 900)), locationId: orNot(location), items: orNot(fc.record({ sku, qty })) },
    ({ ask, things }, { of: which, ttlSeconds, locationId, items }) =>
      about(things.baskets, which, async (basketId) => {
        const body = {
          basketId,
          ...(ttlSeconds !== null && { ttlSeconds }),
          ...(locationId !== null && { locationId }),
          ...(items !== null && { items: [items] }),
        };
        note(things.holds, await ask('reserve-inventory-api', { body }));
      }),
  ),
  'reserve-order': kind({ of, sku, qty }, ({ ask, things }, given) =>
    about(things.orders, given.of, async (orderId) =>
      note(things.holds, await ask('reserve-inventory-api', { body: { orderId, items: [{ sku: given.sku, qty: given.qty }] } })),
    ),
  ),
  /** Allocates the lines of an order, also with a reservation that may be of another one. */
  'allocate-order': kind({ of, prefer: orNot(location), held: orNot(of) }, ({ ask, things }, given) =>
    about(things.orders, given.of, async (id) => {
      const { status, body: order } = await ask('get-order-api', { params: { id } });
      if (status !== 200) return;
      const reservationId = given.held === null ? undefined : things.holds.at(given.held % Math.max(1, things.holds.length));
      for (const { lineId, sku: ordered, qty: wanted } of order.lines) {
        const preferred = given.prefer === null ? {} : { preferredLocations: [given.prefer] };
        const body = {
          orderId: id,
          orderLineId: lineId,
          sku: ordered,
          qty: wanted,
          ...preferred,
          ...(reservationId !== undefined && { reservationId }),
        };
        note(things.holds, await ask('allocate-inventory-api', { body }));
      }
    }),
  ),
  'confirm-hold': kind({ of }, ({ ask, things }, given) =>
    about(things.holds, given.of, (id) => ask('confirm-reservation-api', { params: { id } })),
  ),
  'release-hold': kind({ of }, ({ ask, things }, given) =>
    about(things.holds, given.of, (id) => ask('release-reservation-api', { params: { id } })),
  ),
  count: kind({ sku, location, onHand: fc.constantFrom(0, 1, 2, 4, 60) }, ({ play }, given) =>
    play('PUT', `stock/${given.sku}/${given.location}`, { onHand: given.onHand }),
  ),
  product: kind(
    {
      sku: fc.constantFrom('mug-blue', 'desk-two-nodes', 'wine-red', 'lamp-last-one'),
      verb: fc.constantFrom('suspend', 'resume', 'resume', 'discontinue', 'archive'),
    },
    ({ play }, given) =>
      play('POST', `products/${given.sku}/${given.sku === 'mug-blue' && given.verb !== 'suspend' ? 'resume' : given.verb}`),
  ),
  look: kind({ sku, qty }, async ({ ask }, given) => {
    await ask('get-product-api', { params: { id: given.sku } });
    await ask('get-inventory-api', { params: { sku: given.sku } });
    await ask('get-stock-locations-api', { params: { sku: given.sku } });
    await ask('check-availability-api', { params: { sku: given.sku }, query: { qty: given.qty } });
  }),
  price: kind(
    { sku, qty, of, code: fc.constantFrom('WELCOME10', 'EXPIRED', 'VIP', 'nobody-issued-it') },
    async ({ ask, things }, given) => {
      await about(things.baskets, given.of, (basketId) =>
        ask('evaluate-promotions-api', { body: { basketId, voucherCodes: [given.code] } }),
      );
      await ask('validate-voucher-api', { params: { code: given.code }, body: { amount: { amount: 10_000, currency: 'EUR' } } });
    },
  ),
};
