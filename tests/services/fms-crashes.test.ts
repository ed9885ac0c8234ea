import { expect } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { crashesDuring, type OneRequest } from '../support/each-crash.ts';
import { crashSteps } from '../support/steps/crash-steps.ts';

/** Picking and parcels: goods move once, and WMS and FMS agree in the end. */
interface Request extends OneRequest {
  /** Id of the fulfillment order. */
  readonly id: string;
  /** Units on hand before. */
  readonly onHand: number;
}

type Asked = Omit<Request, 'onHand'>;
type Status = 'started' | 'picked' | 'packed';

const onHand = async (estate: CrashingEstate): Promise<number> =>
  Object.values(await crashSteps(estate).stockOf('mug-blue')).reduce((sum, [units]) => sum + units, 0);

/** The request for the next status of a picking order that was moved through these statuses. */
async function picking(estate: CrashingEstate, done: readonly Status[], status: string, pickedQty?: number): Promise<Asked> {
  const { fulfillmentOrderId: id, pickingOrder } = await crashSteps(estate).pickedOrder({}, ...done);
  const lines = pickedQty === undefined ? undefined : [{ orderLineId: pickingOrder.lines[0].orderLineId, pickedQty }];
  return { id, application: 'wms', method: 'PUT', path: `/picking-orders/${pickingOrder.id}/status`, body: { status, lines } };
}

type End = (estate: CrashingEstate, request: Request, insists: boolean) => Promise<void>;

/** WMS and FMS agree on the progress, and the picking can be completed. */
const pickingAgrees =
  (status: string): End =>
  async (estate, { id }, insists) => {
    const { fulfillmentOrder, openPicking, movePicking } = crashSteps(estate);
    const before = await fulfillmentOrder(id);
    // An existing picking order of any status refuses the impossible status; an unknown one is 404.
    if (before.state !== 'allocated')
      expect((await movePicking(before.pickingOrderId, status === 'open' ? 'packed' : 'started')).status).not.toBe(404);
    const { body: picking } = await openPicking(id);
    if (insists) expect(picking.status).toBe(status);
    // A client that stopped before its first commit has changed nothing.
    if (before.state !== 'allocated') {
      expect(before).toMatchObject({ pickingOrderId: picking.id, state: picking.status === 'packed' ? 'packed' : 'picking' });
      expect(picking.lines[0].pickedQty).toBe(before.lines[0].pickedQty);
    }
    const rest = ['started', 'picked', 'packed'];
    for (const next of rest.slice(rest.indexOf(picking.status) + 1)) await movePicking(picking.id, next);
    expect(await fulfillmentOrder(id)).toMatchObject({ state: 'packed', pickingOrderId: picking.id });
  };

type Found = { readonly state: string; readonly lines: readonly { readonly shortQty: number }[] };

/** The stock changed as the fulfillment order reports. */
const goodsMoveOnce =
  (gone: (found: Found) => number): End =>
  async (estate, { id, onHand: before }, insists) => {
    const left = gone(await crashSteps(estate).fulfillmentOrder(id));
    if (insists) expect(left).not.toBe(0);
    expect(before - (await onHand(estate))).toBe(left);
  };

const counted =
  (prepare: (estate: CrashingEstate) => Promise<Asked>) =>
  async (estate: CrashingEstate): Promise<Request> => ({ ...(await prepare(estate)), onHand: await onHand(estate) });

crashesDuring<Request>({
  'Create Picking Order': {
    killed: ['wms', 'fms'],
    prepare: counted(async (estate) => {
      const { fulfillmentOrderId: id } = await crashSteps(estate).routedOrder();
      return { id, application: 'wms', method: 'POST', path: '/picking-orders', body: { fulfillmentOrderId: id } };
    }),
    end: pickingAgrees('open'),
  },
  'Update Picking Status to picked': {
    killed: ['wms', 'fms'],
    prepare: counted((estate) => picking(estate, ['started'], 'picked')),
    end: pickingAgrees('picked'),
  },
  'Update Picking Status to packed': {
    killed: ['wms', 'fms'],
    prepare: counted((estate) => picking(estate, ['started', 'picked'], 'packed')),
    end: pickingAgrees('packed'),
  },
  'Update Picking Status to short': {
    killed: ['fms', 'sim', 'inventory-service'],
    prepare: counted((estate) => picking(estate, ['started'], 'short', 1)),
    end: goodsMoveOnce(({ lines }) => lines[0]?.shortQty ?? 0),
  },
  'Dispatch Fulfillment Order': {
    killed: ['fms', 'sim', 'inventory-service', 'carrier-platform'],
    prepare: counted(async (estate) => {
      const { fulfillmentOrderId: id } = await crashSteps(estate).packedOrder();
      return { id, application: 'fms', method: 'POST', path: `/fulfillment/orders/${id}/dispatch`, body: {} };
    }),
    end: goodsMoveOnce(({ state }) => (state === 'dispatched' ? 2 : 0)),
  },
  'the scan of a parcel that came back': {
    killed: ['fms', 'inventory-service', 'carrier-platform'],
    prepare: counted(async (estate) => {
      const steps = crashSteps(estate);
      const { fulfillmentOrderId: id, shipmentId } = await steps.dispatchedOrder({ service: 'LOST' });
      await steps.settle();
      await steps.scanned(shipmentId, 'collect');
      const path = `/internal/shipments/${shipmentId}/scans`;
      return { id, application: 'carrier-platform', method: 'POST', path, body: { scan: 'return' } };
    }),
    end: goodsMoveOnce(({ state }) => (state === 'returned-to-sender' ? -2 : 0)),
  },
});
