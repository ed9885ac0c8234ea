import { expect } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

/** Makes what the request needs. @returns the request, and a read of the object that it changes */
type Prepare = (rehearsal: TestRehearsal) => Promise<{ readonly send: () => Promise<unknown>; readonly read: () => Promise<object> }>;

const cancelOrder: Prepare = async ({ confirmed, cancel, order }) => {
  const { id } = await confirmed({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
  return { send: () => cancel(id), read: () => order(id) };
};
const confirmOrder: Prepare = async ({ authorised, confirm, order }) => {
  const { id } = await authorised();
  return { send: () => confirm(id), read: () => order(id) };
};

test.each<readonly [title: string, application: Application, prepare: Prepare, leftOver: object]>([
  ['Cancel Order leaves payments to the Payment Hub', 'payment-hub', cancelOrder, { compensation: 'pending' }],
  ['Cancel Order leaves stock to the SIM', 'sim', cancelOrder, { compensation: 'pending' }],
  ['Cancel Order leaves vouchers to the Promotion Engine', 'promotion-engine', cancelOrder, { compensation: 'pending' }],
  ['Confirm Order leaves the routing to the FMS', 'fms', confirmOrder, { routingStatus: 'retrying' }],
])(
  '%s while it is down, and the part is done as soon as the fault is deleted',
  async (rehearsal, _title, application, prepare, leftOver) => {
    const { send, read } = await prepare(rehearsal);
    await rehearsal.down(application);
    await send();
    expect(await read()).toMatchObject(leftOver);
    await rehearsal.noFaults();
    await rehearsal.settle();
    for (const member of Object.keys(leftOver)) expect(await read()).not.toHaveProperty(member);
  },
);
