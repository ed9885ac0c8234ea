import type { z } from 'zod';
import { basket, product } from './commerce/objects.ts';
import { customer } from './customer/objects.ts';
import type { ObjectDefinition } from './define-object.ts';
import { fulfillmentOrder } from './fulfillment/fulfillment-orders.ts';
import { returnObject } from './fulfillment/returns.ts';
import { shipment } from './fulfillment/shipments.ts';
import { reservation } from './inventory/objects.ts';
import { loyaltyAccount } from './loyalty/objects.ts';
import { order } from './order/objects.ts';
import { payment } from './payment/objects.ts';

/** Example data for the events of an object: the new object, and the members that differ in each event. */
interface ObjectExample {
  readonly definition: ObjectDefinition;
  readonly object: Readonly<Record<string, unknown>>;
  readonly changes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

type Fields<Schema extends z.ZodObject> = Omit<z.output<Schema>, 'version' | 'createdAt' | 'updatedAt'>;

const example = <Schema extends z.ZodObject, State extends string, Verb extends string>(
  definition: ObjectDefinition<Schema, State, Verb>,
  object: Fields<Schema>,
  changes: Readonly<Record<string, Partial<Fields<Schema>>>> = {},
): ObjectExample => ({ definition, object, changes });

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const goods = { sku: 'mug-blue', qty: 2 };
const line = { ...goods, unitPrice: eur(1299), discount: eur(0), tax: eur(486), lineTotal: eur(2598) };
const shippingAddress = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const member = { customerId: 'cus_ada', loyaltyAccountId: 'loy_ada' };

const BASKET = 'bsk_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
const ORDER = 'ord_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
const LINE = `${BASKET}-1`;
const RESERVATION = 'res_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
const FULFILMENT = 'ful_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
const totals = { subtotal: eur(2598), discount: eur(0), shipping: eur(490), tax: eur(578), total: eur(3088) };

/** The objects of one order of two mugs. */
export const objectExamples: readonly ObjectExample[] = [
  example(
    basket,
    {
      id: BASKET,
      state: 'open',
      channel: 'web',
      ...member,
      currency: 'EUR',
      lines: [{ lineId: LINE, ...line }],
      vouchers: [],
      promotionsStatus: 'available',
      expiresAt: '2026-03-02T10:00:00.000Z',
      totals: { subtotal: eur(2598), discount: eur(0), shipping: eur(0), tax: eur(486), total: eur(2598) },
    },
    {
      'checkout-started': {
        totals,
        shippingAddress,
        shippingMethod: 'STANDARD',
        reservationId: RESERVATION,
        loyalty: { status: 'available', balance: 500 },
        expiresAt: '2026-03-01T10:15:00.000Z',
      },
    },
  ),
  example(product, {
    id: 'prd_mug-blue',
    state: 'suspended',
    sku: 'mug-blue',
    gtin: '9521001000017',
    name: 'Blue mug',
    brand: 'Kiln & Tide',
    description: 'Thrown by hand, glazed in blue.',
    attributes: { colour: 'blue', capacityMl: 350 },
    price: eur(1299),
    taxRate: 23,
    media: [{ type: 'image', url: '/media/products/mug-blue.svg', alt: 'Blue stoneware mug' }],
  }),
  example(customer, {
    id: 'cus_01KAHTXB5W0G4J8Q2Z6R9M3N7P',
    state: 'registered',
    email: 'zoe@people.example',
    firstName: 'Zoe',
    lastName: 'Marsh',
    addresses: [],
    consents: { emailMarketing: true, smsMarketing: false, profiling: false },
    interactions: [],
  }),
  example(
    fulfillmentOrder,
    {
      id: FULFILMENT,
      state: 'created',
      orderId: ORDER,
      locationId: 'dc-01',
      shipments: [],
      lines: [{ orderLineId: LINE, ...goods, pickedQty: 0, shortQty: 0 }],
    },
    {
      'ext.collection-ready': {
        state: 'dispatched',
        locationId: 'store-01',
        lines: [{ orderLineId: LINE, ...goods, pickedQty: 2, shortQty: 0 }],
        shipments: [{ id: 'shp_01KAHTXB5W0G4J8Q2Z6R9M3N7P', state: 'held-at-depot', labelStatus: 'none' }],
        collection: {
          locationId: 'store-01',
          person: 'Ben Collector',
          readyBy: '2026-03-02T12:00:00.000Z',
          readyAt: '2026-03-02T11:40:00.000Z',
          lastDay: '2026-03-09',
          until: '2026-03-09T19:00:00.000Z',
          code: '949727',
          qrUrl: '/collection-codes/default/78305afd012f8bee.png',
          store: {
            name: 'Galway, Quay Street',
            address: { name: 'Store Galway', line1: '9 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' },
          },
        },
      },
    },
  ),
  example(
    shipment,
    {
      id: 'shp_01KAHTXB5W0G4J8Q2Z6R9M3N7P',
      state: 'pending',
      fulfillmentOrderId: FULFILMENT,
      carrier: 'demo-carrier',
      service: 'STANDARD',
      labelStatus: 'none',
      events: [],
    },
    {
      'shipment-label-generated': {
        trackingNumber: 'UC44759596029134',
        labelStatus: 'ready',
        label: { format: 'PDF', url: '/labels/default/78305afd012f8bee.pdf' },
        estimatedDelivery: { from: '2026-03-02T10:00:00.000Z', to: '2026-03-03T10:00:00.000Z' },
        events: [{ status: 'label-created', statusCode: 'pre_transit', occurredAt: '2026-03-01T10:00:00.000Z', message: 'Label made' }],
      },
    },
  ),
  example(returnObject, {
    id: 'ret_01KAHTXB5W0G4J8Q2Z6R9M3N7P',
    state: 'requested',
    orderId: ORDER,
    customerId: 'cus_ada',
    lines: [{ orderLineId: LINE, sku: 'mug-blue', qty: 1, reason: 'chipped' }],
    dropOff: 'store',
    locationId: 'store-01',
    resolution: 'refund',
    refundAmount: eur(1299),
    refunds: [],
    shipments: [],
  }),
  example(reservation, {
    id: RESERVATION,
    state: 'requested',
    basketId: BASKET,
    items: [goods],
    expiresAt: '2026-03-01T10:15:00.000Z',
    allocations: [{ locationId: 'dc-01', ...goods, fulfilledQty: 0, cancelledQty: 0 }],
  }),
  example(loyaltyAccount, {
    id: 'loy_ada',
    customerId: 'cus_ada',
    cardNumber: '2990000123459',
    pointsBalance: 525,
    lifetimePoints: 675,
    tier: 'bronze',
    nextTierThreshold: 1000,
    pointsToNextTier: 325,
    entryCount: 2,
    entries: [
      { type: 'issue', points: 500, at: '2026-02-01T10:00:00.000Z', reference: 'welcome' },
      { type: 'earn', points: 25, at: '2026-03-01T10:00:00.000Z', orderId: ORDER },
    ],
  }),
  example(
    order,
    {
      id: ORDER,
      state: 'draft',
      orderNumber: '260301-MH33SM',
      channel: 'web',
      basketId: BASKET,
      ...member,
      lines: [{ lineId: LINE, ...line, reservationId: RESERVATION, fulfilledQty: 0, returnedQty: 0, cancelledQty: 0 }],
      totals,
      shippingAddress,
      shippingMethod: 'STANDARD',
      validatedAt: '2026-03-01T10:00:00.000Z',
    },
    {
      'order-cancelled': { cancelReason: 'changed my mind' },
      'ext.replacement-created': {
        state: 'completed',
        lines: [{ lineId: LINE, ...line, reservationId: RESERVATION, fulfilledQty: 2, returnedQty: 0, cancelledQty: 0 }],
        completedAt: '2026-03-03T09:30:00.000Z',
        replacements: [
          {
            id: 'rpl_01KAHTXB5W0G4J8Q2Z6R9M3N7P',
            reason: 'damaged',
            lines: [{ orderLineId: LINE, sku: 'mug-blue', qty: 1, deliveredQty: 0, failedQty: 0 }],
            createdAt: '2026-03-04T10:00:00.000Z',
          },
        ],
      },
    },
  ),
  example(
    payment,
    {
      id: 'pay_01KAHTXB5W0G4J8Q2Z6R9M3N7P',
      state: 'authorised',
      orderId: ORDER,
      refunds: [],
      tender: { type: 'card', token: 'tok_visa', last4: '4242' },
      amount: eur(3088),
      authorizedAmount: eur(3088),
      capturedAmount: eur(0),
      refundedAmount: eur(0),
      authorizationCode: '7B535F',
      authorizationExpiresAt: '2026-03-08T10:00:00.000Z',
    },
    { 'payment-captured': { capturedAmount: eur(3088) } },
  ),
];
