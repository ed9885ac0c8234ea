import { expect } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { crashesDuring, type OneRequest } from '../support/each-crash.ts';
import { crashSteps } from '../support/steps/crash-steps.ts';
import { ADDRESS } from '../support/steps/order.ts';

/** A change happens once and as a whole: order, fulfillment orders, stock and payments agree in the end. */
interface Request extends OneRequest {
  readonly id: string;
}

const ELSEWHERE = { ...ADDRESS, line1: '7 Shop Street' };

async function stateOf(estate: CrashingEstate, id: string) {
  const { order, stockOf } = crashSteps(estate);
  const { state, totals, lines, payments, changes = [], fulfillmentOrders, collection, shippingAddress, ...rest } = await order(id);
  for (const absent of ['pendingAction', 'compensation', 'routingStatus']) expect(rest).not.toHaveProperty(absent);
  const stock = await stockOf('mug-blue');
  return {
    state,
    changes: changes.length,
    units: lines.map(({ qty }) => qty),
    total: totals.total.amount,
    authorised: payments.reduce((sum, one) => sum + (one.state === 'authorised' ? one.authorizedAmount.amount : 0), 0),
    refunded: payments.reduce((sum, one) => sum + one.refundedAmount.amount, 0),
    reserved: [stock['dc-01']?.[1], stock['store-01']?.[1]],
    routed: fulfillmentOrders?.map(({ state: is, locationId }) => `${locationId} ${is}`),
    to: collection?.locationId ?? shippingAddress?.line1,
  };
}

type State = Partial<Awaited<ReturnType<typeof stateOf>>>;

const STANDING: State = {
  state: 'confirmed',
  changes: 0,
  units: [3],
  total: 4387,
  authorised: 4387,
  refunded: 0,
  reserved: [3, 0],
  routed: ['dc-01 allocated'],
  to: '1 Quay Street',
};

const changing = (
  body: (lineId: string) => object,
  {
    after,
    captured = false,
    killed = ['oms', 'fms', 'sim', 'payment-hub'],
  }: { after: State; captured?: boolean; killed?: readonly Application[] },
) => {
  const before = captured ? { ...STANDING, authorised: 0 } : STANDING;
  return {
    killed,
    prepare: async (estate: CrashingEstate): Promise<Request> => {
      const { confirmed, api } = crashSteps(estate);
      const { id, lines, payments } = await confirmed({ qty: 3 });
      if (captured) await api('capture-payment-api', { params: { id: payments[0]?.id ?? '' } });
      return { id, application: 'oms', method: 'POST', path: `/orders/${id}/changes`, body: body(lines[0]?.lineId ?? '') };
    },
    end: async (estate: CrashingEstate, { id }: Request, insists: boolean): Promise<void> => {
      const found = await stateOf(estate, id);
      if (found.changes === 0 && !insists) expect(found).toEqual(before);
      else expect(found).toEqual({ ...before, changes: 1, ...after });
    },
  };
};

const oneUnit = (lineId: string) => ({ lines: [{ lineId, qty: 1 }] });

crashesDuring<Request>({
  'a change to fewer units': changing(oneUnit, { after: { units: [1], total: 1789, authorised: 1789, reserved: [1, 0] } }),
  'a change to fewer units of a captured order': changing(oneUnit, {
    captured: true,
    after: { units: [1], total: 1789, refunded: 2598, reserved: [1, 0] },
  }),
  'a change of the address': changing(() => ({ shippingAddress: ELSEWHERE }), { killed: ['oms', 'fms'], after: { to: '7 Shop Street' } }),
  'a change to a collection': changing(() => ({ collection: { locationId: 'store-01' } }), {
    after: {
      total: 3897,
      authorised: 3897,
      reserved: [0, 3],
      routed: ['dc-01 cancelled', 'store-01 allocated'],
      to: 'store-01',
    },
  }),
});
