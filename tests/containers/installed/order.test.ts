import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EstateContainer, type StartedEstateContainer } from 'unified-commerce-estate/testcontainers';

const IMAGE = process.env['ESTATE_IMAGE'] ?? 'unified-commerce-estate:local';
const ADDRESS = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

let estate: StartedEstateContainer;
before(async () => {
  estate = await new EstateContainer(IMAGE).start();
});
after(() => estate.stop());

test('an order that is paid is confirmed', async () => {
  await using rehearsal = await estate.createRehearsal();
  const lines = [{ sku: 'mug-blue', qty: 2 }];

  const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines } });
  await rehearsal.api('checkout-basket-api', { params: { id: basket.id }, body: { shippingAddress: ADDRESS } });
  const order = await rehearsal.api('create-order-api', { body: { basketId: basket.id } });
  await rehearsal.api('authorize-payment-api', { body: { orderId: order.id, tender: { type: 'card', token: 'tok_visa' } } });
  const confirmed = await rehearsal.api('confirm-order-api', { params: { id: order.id } });

  assert.equal(confirmed.state, 'confirmed');
  const [event] = await rehearsal.events({ type: 'order-confirmed', subject: `order/${order.id}` });
  assert.equal(event?.data.object.state, 'confirmed');
  await rehearsal.verify();
});

test('your own client calls the gateway with the credentials of the rehearsal', async () => {
  await using rehearsal = await estate.createRehearsal();

  const answer = await fetch(`${estate.getGatewayUrl()}/baskets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rehearsal.credentials.bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] }),
  });

  assert.equal(answer.status, 201);
  assert.equal((await rehearsal.awaitEvents('basket-created')).length, 1);
});

test('a basket is checked out although the Loyalty Platform is down', async () => {
  await using rehearsal = await estate.createRehearsal();
  await rehearsal.fault('no-points', { match: { application: 'loyalty-platform' }, fault: { kind: 'outage' } });

  const lines = [{ sku: 'mug-blue', qty: 1 }];
  const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines } });
  const checkout = await rehearsal.api('checkout-basket-api', { params: { id: basket.id }, body: { shippingAddress: ADDRESS } });

  assert.equal(checkout.loyalty?.status, 'unavailable');
  await rehearsal.deleteFaults();
});

test('stock is reserved for fifteen minutes', async () => {
  await using rehearsal = await estate.createRehearsal();
  const lines = [{ sku: 'lamp-last-one', qty: 1 }];
  const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines } });
  const { reservationId = '' } = await rehearsal.api('checkout-basket-api', {
    params: { id: basket.id },
    body: { shippingAddress: ADDRESS },
  });

  await rehearsal.advance('PT15M');

  await assert.rejects(rehearsal.api('confirm-reservation-api', { params: { id: reservationId } }), { code: 'reservation_expired' });
});

test('a lane at the till gets its answer from the touchpoint mock', async () => {
  const { storeKey, lanes } = estate.getTouchpointAccess();

  const answer = await fetch(`${estate.getTouchpointUrl()}/retail/touchpoint/basket/calculate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${storeKey}`, 'content-type': 'application/json', 'x-mock-case': '02' },
    body: JSON.stringify({
      touchpointId: lanes[0],
      basketId: 'my-basket',
      lines: [],
      add: { ref: 'L1', barcode: '8000000000019', qty: 1 },
    }),
  });

  const { basketId, lines } = (await answer.json()) as { basketId: string; lines: { ref: string }[] };
  assert.deepEqual([basketId, lines.map(({ ref }) => ref)], ['my-basket', ['L1']]);
});
