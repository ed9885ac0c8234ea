import type { z } from 'zod';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import type { PickingOrder } from '../../shared/catalog/fulfillment/picking-orders.ts';
import type { BusinessObject } from '../../shared/catalog/objects.ts';
import type { Obstacle } from '../../shared/catalog/obstacles.ts';
import { requiredFor, stillToCapture, stillToSecure } from '../../shared/catalog/payment/cover.ts';
import { money, moneyInWords } from '../../shared/domain/money.ts';
import type { Found } from '../../shared/store/ports/objects.ts';
import { locationsOf, stockAt } from '../objects/stock.ts';
import type { ExplainScope, Subject } from './subject.ts';
import { listed } from './words.ts';

/** By verb. A verb without an obstacle is absent. */
export type Obstacles = Readonly<Record<string, Obstacle>>;

/** An order has fewer payments. */
const MOST_PAYMENTS = 100;
/** Fewer guests share an e-mail or a phone. */
const MOST_GUESTS = 100;

const rule = (text: string): Obstacle => ({ code: 'rule', text });
const parsed = <T>(found: Found | undefined): T | undefined => (found ? (JSON.parse(found.json) as T) : undefined);

/** Why verbs are impossible because of records that are not near the object: payments, stock, records of its application. */
export async function hiddenObstacles(scope: ExplainScope, subject: Subject): Promise<Obstacles> {
  const { type, state } = subject;
  if (type === 'fulfillment-order' && state === 'packed') return uncoveredDispatch(scope, subject);
  if (type === 'fulfillment-order' && state === 'picking') return unstartedPicking(scope, subject);
  if (type === 'reservation') return boundReservation(scope, subject);
  if (type === 'customer' && state === 'identified') return unregistrable(scope, subject);
  if (type === 'basket' && state === 'open') return soldOut(scope, subject);
  if (type === 'basket' && subject.sale === 'paid') return { 'cancel-checkout': rule('Its sale is paid.') };
  if (type === 'return' && state === 'inspected') return payingReturn(scope, subject);
  return {};
}

async function paymentsOf({ worlds, view }: ExplainScope, orderId: string): Promise<readonly BusinessObject<'payment'>[]> {
  const of = { application: 'payment-hub', collection: 'payments', name: 'order' } as const;
  const found = await worlds.indexed(view.world, of, orderId, { after: 0, limit: MOST_PAYMENTS });
  return found.map(({ json }) => JSON.parse(json) as BusinessObject<'payment'>);
}

async function uncoveredDispatch(scope: ExplainScope, { object, near }: Subject): Promise<Obstacles> {
  const order = near.get('order', object['orderId'] as string | undefined);
  if (!order || order.totals.total.amount === 0) return {};
  const byHand = progressionOf(scope.view).capture === 'manual';
  const payments = await paymentsOf(scope, order.id);
  const missing = (byHand ? stillToCapture : stillToSecure)(requiredFor(order), payments);
  if (missing === 0) return {};
  const what = `${moneyInWords(money(missing, order.totals.total.currency))} of its order`;
  const text = byHand
    ? `${what} are not captured. Captures are manual in this rehearsal: a client calls Capture Payment.`
    : `${what} are neither captured nor authorised.`;
  const refs = payments.filter(({ state }) => state === 'authorised').map(({ id }) => ({ type: 'payment', id }));
  return { dispatch: { code: 'other-object', text, refs } };
}

async function unstartedPicking({ worlds, view }: ExplainScope, { id }: Subject): Promise<Obstacles> {
  const of = { application: 'wms', collection: 'picking-orders', name: 'fulfillmentOrder' } as const;
  const order = parsed<z.output<typeof PickingOrder>>(await worlds.unique(view.world, of, id));
  if (order?.status !== 'open') return {};
  const why = rule(`Its picking order ${order.id} is open: Update Picking Status with started comes first.`);
  return { pick: why, 'pick-nothing': why };
}

async function boundReservation({ worlds, view: { world } }: ExplainScope, { id, object, state, near }: Subject): Promise<Obstacles> {
  if (state !== 'requested' && state !== 'confirmed') return {};
  const sent = parsed<{ readonly orderId?: string }>(await worlds.object(world, 'sim', 'fulfilment-holds', id));
  if (sent) {
    const order = sent.orderId === undefined ? [] : [{ type: 'order', id: sent.orderId }];
    return { release: { code: 'other-object', text: 'Its order is being sent: cancel the order instead.', refs: order } };
  }
  const attempt = parsed<{ readonly expiresAt?: string }>(await worlds.object(world, 'sim', 'attempts', id));
  const { basketId } = object as { readonly basketId?: string };
  if (basketId === undefined || !attempt || attempt.expiresAt !== undefined) return {};
  const basket = near.get('basket', basketId);
  if (basket && basket.state !== 'locked' && basket.state !== 'converted') return {};
  const refs = basket ? [{ type: 'basket', id: basketId }] : [];
  return { release: { code: 'other-object', text: 'It holds the goods of a sale at the till: void the transaction instead.', refs } };
}

/** One location serves a line. A checkout uses the units that the basket has reserved. */
async function soldOut({ worlds, view: { world } }: ExplainScope, { id, object, near }: Subject): Promise<Obstacles> {
  const { lines } = object as unknown as BusinessObject<'basket'>;
  if (lines.length === 0) return {};
  const locations = await locationsOf(worlds, world);
  const places = lines.flatMap(({ sku }) => locations.map(({ id: locationId }) => ({ sku, locationId })));
  const levels = await stockAt(worlds, world, places);
  const own = near
    .of('reservation')
    .filter(({ state, object: held }) => held.basketId === id && (state === 'requested' || state === 'confirmed'))
    .flatMap(({ object: { allocations } }) => allocations);
  const free = (sku: string, isOwn: boolean): number =>
    Math.max(
      0,
      ...levels
        .filter((level) => level.sku === sku)
        .map(({ atp, locationId }) => {
          const held = own.filter((one) => one.sku === sku && one.locationId === locationId).reduce((sum, { qty }) => sum + qty, 0);
          return atp + (isOwn ? held : 0);
        }),
    );
  const short = lines.filter(({ sku, qty }) => free(sku, true) < qty).map(({ sku, qty }) => `${qty} of ${sku}`);
  const isFixed = lines.every(({ sku, qty }) => qty === 1 && free(sku, false) < 2);
  return {
    ...(short.length > 0 && { checkout: rule(`No location has ${listed(short)}.`) }),
    ...(isFixed && { 'change-line': rule('No location has more units, and a line has at least one: remove it instead.') }),
  };
}

/**
 * Create Customer registers the guest with the e-mail and the phone of its request, otherwise the oldest guest with the e-mail, otherwise with the
 * phone. A request may omit what another customer has registered.
 */
async function unregistrable({ worlds, view: { world } }: ExplainScope, { id, object }: Subject): Promise<Obstacles> {
  const { email, phone } = object as unknown as BusinessObject<'customer'>;
  const customers = { application: 'crm', collection: 'customers' } as const;
  const owners: { readonly id: string; readonly what: string }[] = [];
  const guests: BusinessObject<'customer'>[][] = [];
  for (const { what, unique, index, value } of [
    { what: 'e-mail', unique: 'registeredEmail', index: 'email', value: email },
    { what: 'phone', unique: 'registeredPhone', index: 'phone', value: phone },
  ]) {
    if (value === undefined) continue;
    const owner = await worlds.unique(world, { ...customers, name: unique }, value);
    if (owner) {
      owners.push({ what, id: owner.id });
      continue;
    }
    const found = await worlds.indexed(world, { ...customers, name: index }, value, { after: 0, limit: MOST_GUESTS });
    guests.push(found.map(({ json }) => JSON.parse(json)).filter(({ state }) => state === 'identified'));
  }
  const withAll = owners.length > 0 ? undefined : guests[0]?.find((guest) => guest.email === email && guest.phone === phone);
  const registered = [...guests.map(([oldest]) => oldest), withAll].flatMap((guest) => guest?.id ?? []);
  const ids = [...new Set(registered.length > 0 ? registered : owners.map((owner) => owner.id))];
  if (ids.length === 0 || registered.includes(id)) return {};
  const taken = `Its ${listed(owners.map(({ what }) => what))} ${owners.length === 1 ? 'is' : 'are'} registered for ${ids.length === 1 ? 'another customer' : 'other customers'}.`;
  const text = registered.length > 0 ? 'Create Customer registers an older guest with the same contact data.' : taken;
  return { register: { code: 'other-object', text, refs: ids.map((one) => ({ type: 'customer', id: one })) } };
}

/** An order that is not cancelled keeps the return that pays for it. */
async function payingReturn({ worlds, view: { world } }: ExplainScope, { id }: Subject): Promise<Obstacles> {
  const of = { application: 'oms', collection: 'orders', name: 'exchangeFor' } as const;
  const order = parsed<BusinessObject<'order'>>(await worlds.unique(world, of, id));
  if (!order || order.state === 'cancelled') return {};
  const refs = [{ type: 'order', id: order.id }];
  return { reject: { code: 'other-object', text: `It pays for the order ${order.orderNumber}, which is ${order.state}.`, refs } };
}
