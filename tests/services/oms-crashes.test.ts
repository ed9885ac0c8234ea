import { expect, test } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Journey, type Step } from '../support/each-crash.ts';
import { crashSteps } from '../support/steps/crash-steps.ts';

const MINUTE = 60_000;

const LAMP = { sku: 'lamp-last-one', qty: 1 };

const paidDraft = async (estate: CrashingEstate): Promise<string> => (await crashSteps(estate).authorised(LAMP)).id;

/** A paid draft with an expired reservation. */
async function paidTooLate(estate: CrashingEstate): Promise<string> {
  const id = await paidDraft(estate);
  await estate.advance(16 * MINUTE);
  return id;
}

/** A paid draft whose units are reserved for another order now. */
async function soldOut(estate: CrashingEstate): Promise<string> {
  const id = await paidTooLate(estate);
  await crashSteps(estate).checkedOut({ ...LAMP, customerId: 'cus_ben' });
  return id;
}

/** The order, the states of its payments, and how many lamps are reserved. */
async function endOf(estate: CrashingEstate, id: string) {
  const steps = crashSteps(estate);
  const { state, cancelReason, paymentStatus, payments, ...order } = await steps.order(id);
  for (const absent of ['pendingAction', 'compensation']) expect(order).not.toHaveProperty(absent);
  return { state, cancelReason, paymentStatus, payments: payments.map((one) => one.state), lamps: await steps.reserved(LAMP.sku) };
}

const advance =
  (minutes: number): Step<string> =>
  async (estate, id) => {
    await estate.advance(minutes * MINUTE);
    return id;
  };

/** A client that repeats its request until it is answered. */
const confirm =
  (status: number): Step<string> =>
  async (estate, id) => {
    expect((await estate.insist('oms', 'POST', `/orders/${id}/confirm`)).status).toBe(status);
    return id;
  };

/** A client that does not repeat its request. */
const confirmOnce: Step<string> = async (estate, id) => {
  await estate.ask('oms', 'POST', `/orders/${id}/confirm`, {}, 'once').catch(() => undefined);
  return id;
};

const cancelOnce: Step<string> = async (estate, id) => {
  await estate.ask('oms', 'POST', `/orders/${id}/cancel`, { reason: 'by hand' }, 'once').catch(() => undefined);
  return id;
};

/** A client that cancels once, and then confirms until the answer is definite. */
const cancelOnceThenConfirm: Step<string> = async (estate, id) => {
  await cancelOnce(estate, id);
  const { pendingAction } = await crashSteps(estate).order(id);
  const early = await estate.ask('oms', 'POST', `/orders/${id}/confirm`, {}, 'early').catch(() => undefined);
  if (pendingAction && early) expect(early).toMatchObject({ status: 409, body: { code: 'invalid_state_transition' } });
  await estate.advance(MINUTE);
  const { status } = await estate.insist('oms', 'POST', `/orders/${id}/confirm`);
  await estate.advance(30 * MINUTE);
  expect((await endOf(estate, id)).state).toBe(status === 200 ? 'confirmed' : 'cancelled');
  return id;
};

const journeys: Readonly<Record<string, Journey<string>>> = {
  'A repeated confirmation that takes a new reservation confirms the order once': {
    ...{ begin: paidTooLate, steps: [confirm(200), advance(30)], killed: ['oms', 'sim', 'inventory-service'] },
    end: async (estate, id) => expect(await endOf(estate, id)).toMatchObject({ state: 'confirmed', lamps: 1 }),
  },
  'A confirmation that takes a new reservation and is not repeated confirms the order or leaves the draft as it was': {
    ...{ begin: paidTooLate, steps: [confirmOnce], killed: ['oms', 'sim', 'inventory-service'] },
    end: async (estate, id) => {
      await estate.advance(30 * MINUTE);
      const { state, payments, lamps } = await endOf(estate, id);
      expect([payments, lamps]).toEqual([['authorised'], state === 'confirmed' ? 1 : 0]);
      expect(await estate.insist('oms', 'POST', `/orders/${id}/confirm`, {}, 'next')).toMatchObject({ status: 200 });
      expect((await endOf(estate, id)).lamps).toBe(1);
    },
  },
  'A repeated confirmation that is refused for stock voids its authorisation': {
    ...{ begin: soldOut, steps: [confirm(409), advance(5)], killed: ['oms', 'sim', 'payment-hub'] },
    end: async (estate, id) => expect(await endOf(estate, id)).toMatchObject({ state: 'draft', payments: ['voided'], lamps: 1 }),
  },
  'A confirmation that is refused for stock and not repeated voids its authorisation, if it was received': {
    ...{ begin: soldOut, steps: [confirmOnce, advance(5)], killed: ['oms', 'sim', 'payment-hub'] },
    end: async (estate, id, crash) => {
      const isUnknown = crash?.application === 'oms' && crash.commit === 1 && crash.when === 'before';
      const payments = [isUnknown ? 'authorised' : 'voided'];
      expect(await endOf(estate, id)).toMatchObject({ state: 'draft', payments, lamps: 1 });
    },
  },
  'An interrupted cancellation blocks a confirmation until it has cancelled the order or was withdrawn': {
    ...{ begin: paidDraft, steps: [cancelOnceThenConfirm], killed: ['oms'] },
    end: async (estate, id) => {
      const { state, payments, lamps } = await endOf(estate, id);
      expect([payments, lamps]).toEqual(state === 'confirmed' ? [['authorised'], 1] : [['voided'], 0]);
    },
  },
  'The expiry of a draft voids its payment and releases its reservation': {
    ...{ begin: paidDraft, steps: [advance(23 * 60), advance(26 * 60)], killed: ['oms', 'payment-hub', 'sim'] },
    end: async (estate, id) => {
      expect(await endOf(estate, id)).toMatchObject({ state: 'cancelled', cancelReason: 'expired', payments: ['voided'], lamps: 0 });
    },
  },
  'The expiry of a draft waits for an interrupted cancellation, whose reason stays': {
    begin: async (estate) => {
      const id = await paidDraft(estate);
      await estate.advance(24 * 60 * MINUTE - 30_000);
      return id;
    },
    ...{ steps: [cancelOnce, advance(30)], killed: ['oms'] },
    end: async (estate, id, crash) => {
      const cancelReason = crash?.commit === 1 && crash.when === 'before' ? 'expired' : 'by hand';
      expect(await endOf(estate, id)).toMatchObject({ state: 'cancelled', cancelReason, payments: ['voided'] });
    },
  },
  'The renewal of an authorisation covers the confirmed order with one new authorisation': {
    ...{
      begin: async (estate) => (await crashSteps(estate).confirmed(LAMP)).id,
      steps: [advance(7 * 24 * 60), advance(60)],
      killed: ['oms', 'payment-hub'],
    },
    end: async (estate, id) => {
      const covered = { state: 'confirmed', paymentStatus: 'authorised', payments: ['voided', 'authorised'], lamps: 1 };
      expect(await endOf(estate, id)).toMatchObject(covered);
    },
  },
};

test.each(Object.entries(journeys))('%s, whichever commit a process dies at', async (_, journey) => {
  expect(await eachCrash(journey)).toBeGreaterThanOrEqual(6);
});
