import { expect, test } from '@jest/globals';
import { callOfApi } from '../../rehearsal/estate-client.ts';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { crashesDuring, eachCrash, type Journey, type OneRequest, type Step, takeOver } from '../support/each-crash.ts';
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

/** The call that replaces damaged mugs. */
const replacement = ({ id, lineId }: Known, { qty = 1, storeId }: { readonly qty?: number; readonly storeId?: string } = {}) => ({
  params: { id },
  body: { lines: [{ orderLineId: lineId, qty }], reason: 'damaged' as const, storeId },
});

const replaced =
  (storeId?: string): Step<Known> =>
  async (estate, known) => {
    const { status, body: made } = await crashSteps(estate).call('create-replacement-api', replacement(known, { storeId }));
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

type Asked = OneRequest & Known;

/** A request for one mug. Once the estate is at rest, the mugs that were not replaced can be. */
const oneOfTwo = (storeId?: string) => ({
  killed: storeId === undefined ? (['oms', 'sim', 'fms'] as const) : (['oms', 'sim', 'inventory-service'] as const),
  prepare: async (estate: CrashingEstate): Promise<Asked> => {
    const known = await delivered(estate);
    const { method, path, body } = callOfApi('create-replacement-api', replacement(known, { storeId }));
    return { ...known, application: 'oms', method, path, body };
  },
  end: async (estate: CrashingEstate, asked: Asked, insists: boolean): Promise<void> => {
    const steps = crashSteps(estate);
    const { replacements = [] } = await steps.order(asked.id);
    expect(replacements.length).toBeLessThanOrEqual(1);
    if (insists) expect(replacements).toHaveLength(1);
    const isSent = storeId === undefined;
    expect([await steps.reserved('mug-blue'), (await steps.routed(asked.id)).length]).toEqual(
      isSent ? [replacements.length, 1 + replacements.length] : [0, 1],
    );
    const { status } = await steps.call('create-replacement-api', replacement(asked, { qty: 2 - replacements.length }));
    expect(status).toBe(201);
  },
});

crashesDuring<Asked>({ 'Create Replacement': oneOfTwo(), 'Create Replacement in a store': oneOfTwo('store-01') });
