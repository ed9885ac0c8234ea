import { expect, test } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Journey, type Step, takeOver } from '../support/each-crash.ts';
import { crashSteps } from '../support/steps/crash-steps.ts';

interface Known {
  readonly id: string;
  readonly lineId: string;
}

/** An order of two mugs that have arrived. */
async function delivered(estate: CrashingEstate): Promise<Known> {
  const steps = crashSteps(estate);
  const { id, lines } = await steps.completed();
  return { id, lineId: lines[0].lineId };
}

const replaced =
  (storeId?: string): Step<Known> =>
  async (estate, known) => {
    const body = { lines: [{ orderLineId: known.lineId, qty: 1 }], reason: 'damaged' as const, storeId };
    const { status, body: made } = await crashSteps(estate).call('create-replacement-api', { params: { id: known.id }, body });
    expect([status, made.lines?.length]).toEqual([201, 1]);
    return known;
  };

const rested: Step<Known> = async (estate, known) => {
  await takeOver(estate);
  return known;
};

/** The customer gets the goods in place of the damaged ones. */
const arrived: Step<Known> = async (estate, known) => {
  const steps = crashSteps(estate);
  const [, second, ...others] = await steps.routed(known.id);
  expect(others).toEqual([]);
  await steps.delivered(await steps.dispatched(second?.id ?? ''));
  return known;
};

const end: Journey<Known>['end'] = async (estate, { id }) => {
  const order = await crashSteps(estate).order(id);
  expect(order).toMatchObject({
    ...{ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2, returnedQty: 0, cancelledQty: 0 }] },
    replacements: [{ lines: [{ qty: 1, deliveredQty: 1, failedQty: 0 }] }],
  });
  expect(await crashSteps(estate).reserved('mug-blue')).toBe(0);
};

test.each<[string, Journey<Known>]>([
  ['is sent', { begin: delivered, steps: [replaced(), rested, arrived, rested], killed: ['oms', 'sim', 'fms'], end }],
  [
    'is handed over by a store',
    { begin: delivered, steps: [replaced('store-01'), rested], killed: ['oms', 'sim', 'inventory-service'], end },
  ],
])(
  'A replacement that %s leaves the stock once although a process is killed at each of its commits',
  async (_how, journey) => {
    expect(await eachCrash(journey)).toBeGreaterThan(8);
  },
  240_000,
);
