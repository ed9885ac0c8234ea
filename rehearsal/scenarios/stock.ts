import type { Scenario } from '../scenario.ts';
import { basketInCheckout } from './steps.ts';

/** Pain: the reservation expires between payment and confirmation. */
export const holdExpired: Scenario = {
  name: 'hold-expired',
  title: 'The reservation expires between payment and confirmation',
  flows: [4],
  pains: ['hold-expires'],
  async run(stage) {
    const { orderId, reservationId } = await basketInCheckout(stage, { sku: 'lamp-last-one', qty: 1 });
    await stage.step({
      title: 'Authorise',
      call: 'POST /payments/authorizations',
      body: { orderId, tender: { type: 'card', token: 'tok_visa' } },
    });
    await stage.advance('PT15M');
    const gone = await stage.step({
      title: 'The reservation has expired',
      call: `POST /inventory/reservations/${reservationId}/confirm`,
      status: 409,
      events: [],
    });
    stage.expect('refused as', gone.body.code, 'reservation_expired');
    const confirmed = await stage.step({ title: 'Confirmation reserves the lamp again', call: `POST /orders/${orderId}/confirm` });
    stage.expect('order', confirmed.body.state, 'confirmed');
  },
};

/** Pain: the reservation expires, and another customer is faster. */
export const holdLost: Scenario = {
  name: 'hold-lost',
  title: 'The reservation expires and another customer takes the last unit',
  flows: [4],
  async run(stage) {
    const { orderId } = await basketInCheckout(stage, { sku: 'lamp-last-one', qty: 1 });
    await stage.step({
      title: 'Authorise',
      call: 'POST /payments/authorizations',
      body: { orderId, tender: { type: 'card', token: 'tok_visa' } },
    });
    await stage.advance('PT15M');
    await stage.step({
      title: 'Another customer reserves the last unit',
      call: 'POST /inventory/reservations',
      body: { items: [{ sku: 'lamp-last-one', qty: 1 }] },
    });
    const refused = await stage.step({
      title: 'Confirmation is refused: the stock is gone',
      call: `POST /orders/${orderId}/confirm`,
      status: 409,
    });
    stage.expect('refused as', refused.body.code, 'reservation_expired');
    const order = await stage.step({ title: 'The order stays a draft and its payment is voided', call: `GET /orders/${orderId}` });
    stage.expect('order', order.body.state, 'draft');
    stage.expect(
      'payments',
      order.body.payments.map(({ state }) => state),
      ['voided'],
    );
  },
};

/** Pain: many buyers request the last unit at the same moment. */
export const lastUnit: Scenario = {
  name: 'last-unit',
  title: 'Twenty buyers request the last unit at the same moment',
  flows: [5],
  pains: ['last-unit'],
  async run(stage) {
    await stage.fault('together', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'barrier', parties: 20 } });
    const calls = Array.from(
      { length: 20 },
      () => ({ call: 'POST /inventory/reservations', body: { items: [{ sku: 'lamp-last-one', qty: 1 }] } }) as const,
    );
    const replies = await stage.together('Reserve the lamp', calls);
    stage.expect('sold', replies.filter(({ status }) => status === 201).length, 1);
    stage.expect('refused', replies.filter((reply) => !reply.ok && reply.body.code === 'insufficient_stock').length, 19);
    await stage.noFaults();
  },
};
