import { expect } from '@jest/globals';
import { crashesDuring, type OneRequest } from '../support/each-crash.ts';
import { type CrashSteps, crashSteps } from '../support/steps/crash-steps.ts';

/** Requests whose crashes `killed-at-every-commit` does not play. Stock is reserved once, and the books balance. */

const MUG = { sku: 'mug-blue', qty: 1 };
const RESERVATIONS = '/inventory/reservations';

const reservation = ({ api }: CrashSteps, body: object = { items: [MUG] }) => api('reserve-inventory-api', { body: body as never });
const basket = ({ basket: opened }: CrashSteps) => opened(MUG);

/** The mugs that the client has reserved when it repeats its request, and the request. */
type Row = readonly [reserved: number, prepare: (steps: CrashSteps) => Promise<OneRequest>];
const rows: Readonly<Record<string, Row>> = {
  'Reserve Inventory': [1, async () => ({ application: 'sim', method: 'POST', path: RESERVATIONS, body: { items: [MUG] } })],
  'Reserve Inventory for a basket': [
    1,
    async (steps) => ({ application: 'sim', method: 'POST', path: RESERVATIONS, body: { basketId: (await basket(steps)).id } }),
  ],
  'Reserve Inventory that replaces a reservation': [
    1,
    async (steps) => {
      const { id: basketId } = await basket(steps);
      await reservation(steps, { basketId });
      return { application: 'sim', method: 'POST', path: RESERVATIONS, body: { basketId, ttlSeconds: 14_000 } };
    },
  ],
  'Release Holds': [
    0,
    async (steps) => {
      for (const _of of [1, 2]) await reservation(steps, { items: [MUG], orderId: 'ord_1' });
      const body = { order: { id: 'ord_1', state: 'cancelled' } };
      return { application: 'sim', method: 'POST', path: '/internal/reservations/release', body };
    },
  ],
  'Release Reservation': [
    0,
    async (steps) => ({
      ...{ application: 'sim', method: 'DELETE', body: undefined },
      path: `${RESERVATIONS}/${(await reservation(steps)).id}`,
    }),
  ],
  'Move Reservation, for units that left': [
    1,
    async (steps) => {
      const { id, allocations } = await reservation(steps, { items: [{ ...MUG, qty: 2 }] });
      await steps.api('confirm-reservation-api', { params: { id } });
      const body = { reference: 'one', kind: 'consume', locationId: allocations[0].locationId, lines: [MUG] };
      return { application: 'sim', method: 'POST', path: `/internal/reservations/${id}/movements`, body };
    },
  ],
  'Allocate Inventory': [
    1,
    async (steps) => {
      const { id: orderId, lines } = await steps.draft(MUG);
      await steps.api('release-reservation-api', { params: { id: lines[0].reservationId } });
      const body = { orderId, orderLineId: lines[0].lineId, ...MUG };
      return { application: 'inventory-service', method: 'POST', path: '/inventory/allocate', body };
    },
  ],
};

crashesDuring(
  Object.fromEntries(
    Object.entries(rows).map(([name, [reserved, prepare]]) => [
      name,
      {
        killed: name === 'Reserve Inventory' ? (['sim'] as const) : (['sim', 'inventory-service'] as const),
        prepare: (estate) => prepare(crashSteps(estate)),
        end: async (estate, _request, insists) => {
          if (insists) expect(await crashSteps(estate).reserved(MUG.sku)).toBe(reserved);
        },
      },
    ]),
  ),
);
