import type { ApiId, apis } from './apis.ts';
import type { CallOf } from './define.ts';

type BodyOf<Id extends ApiId> = CallOf<(typeof apis)[Id]> extends { readonly body?: infer Body } ? Body : never;

/** Example request bodies. Their ids are placeholders for ids from earlier responses. */
export const requestExamples: { readonly [Id in ApiId]?: BodyOf<Id> } = {
  'create-basket-api': { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] },
  'add-line-to-basket-api': { sku: 'mug-blue', qty: 2 },
  'checkout-basket-api': {
    shippingAddress: { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' },
    shippingMethod: 'STANDARD',
    voucherCodes: ['WELCOME10'],
  },
  'create-order-api': { basketId: 'bsk_01KAHTXB5W0G4J8Q2Z6R9M3N7P' },
  'authorize-payment-api': { orderId: 'ord_01KAHTXB5W0G4J8Q2Z6R9M3N7P', tender: { type: 'card', token: 'tok_visa' } },
  'capture-payment-api': { amount: { amount: 1299, currency: 'EUR' } },
  'refund-payment-api': { amount: { amount: 500, currency: 'EUR' }, reason: 'scratched' },
  'cancel-order-api': { reason: 'changed my mind' },
  'reserve-inventory-api': { items: [{ sku: 'mug-blue', qty: 2 }], ttlSeconds: 900 },
  'confirm-reservation-api': { orderId: 'ord_01KAHTXB5W0G4J8Q2Z6R9M3N7P' },
  'allocate-inventory-api': { orderId: 'ord_example', orderLineId: 'line_1', sku: 'mug-blue', qty: 1, preferredLocations: ['dc-02'] },
  'route-order-api': { strategy: 'nearest' },
  'dispatch-fulfillment-order-api': { service: 'STANDARD' },
  'create-picking-order-api': { fulfillmentOrderId: 'ful_01KAHTXB5W0G4J8Q2Z6R9M3N7P' },
  'update-picking-status-api': { status: 'short', lines: [{ orderLineId: 'line_1', pickedQty: 1 }] },
  'generate-label-api': { format: 'PDF' },
  'carrier-webhook': {
    type: 'shipment.tracking.updated',
    timestamp: '2026-03-01T16:00:00.000Z',
    data: {
      shipmentId: 'shp_01KAHTXB5W0G4J8Q2Z6R9M3N7P',
      status: 'in-transit',
      statusCode: 'in_transit',
      occurredAt: '2026-03-01T15:59:00.000Z',
      location: 'Athlone',
      message: 'Left the depot',
    },
  },
  'earn-points-api': { orderId: 'ord_example', amount: { amount: 2598, currency: 'EUR' } },
  'redeem-points-api': { points: 300, orderId: 'ord_01KAHTXB5W0G4J8Q2Z6R9M3N7P' },
  'create-customer-api': { email: 'zoe@people.example', firstName: 'Zoe', lastName: 'Marsh', consents: { emailMarketing: true } },
  'log-interaction-api': { customerId: 'cus_ada', type: 'styling-session', note: 'Prefers oak.' },
  'enroll-loyalty-member-api': { customerId: 'cus_ben' },
  'issue-loyalty-points-api': { points: 200, reason: 'late delivery', reference: 'case-4711' },
  'redeem-loyalty-points-api': { points: 300 },
  'create-transaction-api': { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }], loyaltyId: 'loy_ada' },
  'add-payment-api': { tender: { type: 'card', token: 'tok_visa' }, amount: { amount: 1598, currency: 'EUR' } },
  'void-transaction-api': { reason: 'changed my mind' },
  'evaluate-promotions-api': {
    lines: [{ sku: 'mug-blue', qty: 2, unitPrice: { amount: 1299, currency: 'EUR' } }],
    voucherCodes: ['WELCOME10'],
  },
  'validate-voucher-api': { amount: { amount: 10_000, currency: 'EUR' }, customerId: 'cus_ada' },
};
