import type { Mutant } from './mutant.ts';

/** Work that finishes a request whose process died, and that is not scheduled. */
export const crashes: readonly Mutant[] = [
  {
    name: 'A checkout that dies leaves its basket to nobody',
    file: 'services/ecommerce-platform/checkout-record.ts',
    from: `the work is due as soon as the lease expires.
  work.schedule(undoCheckout, basketId, work.now, null, { beforeReply: true });`,
    to: 'the work is due as soon as the lease expires.',
    killedBy: ['tests/services/ecommerce-crashes.test.ts'],
  },
  {
    name: 'A converted basket whose process dies is never submitted',
    file: 'services/ecommerce-platform/order-placement.ts',
    from: '  work.schedule(placeOrder, converted.id, work.now, null, { beforeReply: true });\n',
    to: '',
    killedBy: ['tests/services/ecommerce-crashes.test.ts'],
  },
  {
    name: 'A reservation whose process dies is neither made nor undone',
    file: 'services/sim/attempts.ts',
    from: '  work.schedule(abortReservationDue, id, work.now, {}, { beforeReply: true });\n',
    to: '',
    killedBy: ['tests/services/stock-crashes.test.ts'],
  },
  {
    name: 'An allocation whose process dies is not recorded at the SIM',
    file: 'services/inventory-service/allocation.ts',
    from: '  work.schedule(finishAllocationDue, hold.id, work.now, {}, { beforeReply: true });\n',
    to: '',
    killedBy: ['tests/services/stock-crashes.test.ts'],
  },
  {
    name: 'A fulfillment order whose process dies in its dispatch is not handed over',
    file: 'services/fms/dispatch.ts',
    from: '  for (const due of [takeStockDue, handOverDue]) work.schedule(due, found.id, work.now + TAKE_OVER_MS, {});\n',
    to: '',
    killedBy: ['tests/services/fms-crashes.test.ts'],
  },
  {
    name: 'A picking order whose process dies in its opening stays unknown to the WMS',
    file: 'services/wms/picking-orders.ts',
    from: '  work.schedule(finishOpeningDue, id, work.now + TAKE_OVER_MS, { fulfillmentOrderId });\n  await work.checkpoint();\n  return carryOutOpening',
    to: '  await work.checkpoint();\n  return carryOutOpening',
    killedBy: ['tests/services/fms-crashes.test.ts'],
  },
];
