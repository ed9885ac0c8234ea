import type { Fixtures } from '../../fixtures/load.ts';
import { defineService } from '../../shared/contract/handler.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { cancelOrder } from './apis/cancel-order.ts';
import { confirmOrder } from './apis/confirm-order.ts';
import { createOrder } from './apis/create-order.ts';
import { getOrder } from './apis/get-order.ts';
import { orders } from './collections.ts';
import { compensate } from './due/compensate.ts';
import { expireDraft } from './due/expire-draft.ts';
import { finishCancellation } from './due/finish-cancellation.ts';
import { finishConfirmation } from './due/finish-confirmation.ts';
import { finishCreation } from './due/finish-creation.ts';
import { redeemVouchers } from './due/redeem-vouchers.ts';
import { getPayable } from './internal/get-payable.ts';

export const service = defineService({
  application: 'oms',
  collections: [orders],
  counters: [],
  apis: {
    'get-order-api': getOrder,
    'create-order-api': createOrder,
    'confirm-order-api': confirmOrder,
    'cancel-order-api': cancelOrder,
  },
  internal: { 'get-payable': getPayable },
  events: {},
  due: {
    'finish-creation': finishCreation,
    'finish-confirmation': finishConfirmation,
    'finish-cancellation': finishCancellation,
    'expire-draft': expireDraft,
    'redeem-vouchers': redeemVouchers,
    compensate,
  },
});

/** A world begins without orders: every order comes from a basket. */
export function seed(_fixtures: Fixtures, _now: number): Seed {
  return { objects: [{ of: orders, rows: [] }] };
}
