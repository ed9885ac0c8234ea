import type { Scenario } from './scenario.ts';
import { disputeLost, disputeWon, refundFails, refundPending } from './scenarios/after-payment.ts';
import { marketplaceOrder } from './scenarios/elsewhere.ts';
import {
  clickAndCollect,
  collectByTransfer,
  damagedReplaced,
  deliveredOrder,
  lostParcel,
  partialDelivery,
  splitLine,
  webhookStorm,
} from './scenarios/fulfillment.ts';
import {
  changedOrder,
  declinedThenPaid,
  digitalOrder,
  lastUnit,
  reservationExpired,
  reservationLost,
  shopOrder,
} from './scenarios/orders.ts';
import {
  captureRetried,
  carrierDown,
  compensationWaits,
  eventsDisordered,
  inventoryDown,
  loyaltyDown,
  shortPick,
  unknownOutcome,
} from './scenarios/outages.ts';
import { captureDeclined, partialApproval, threeDSecure } from './scenarios/payments.ts';
import { exchangeWithSurplus, overRefund, returnByParcel, returnRefunded } from './scenarios/returns.ts';
import { lostTender, roundedSale, splitTender, stockDiscrepancy, storeAndForward, voidedAtTheTill } from './scenarios/till.ts';

/** All scenarios, the simplest first. */
export const scenarios: readonly Scenario[] = [
  digitalOrder,
  shopOrder,
  marketplaceOrder,
  changedOrder,
  declinedThenPaid,
  partialApproval,
  threeDSecure,
  reservationExpired,
  reservationLost,
  lastUnit,
  loyaltyDown,
  compensationWaits,
  deliveredOrder,
  clickAndCollect,
  collectByTransfer,
  lostParcel,
  damagedReplaced,
  partialDelivery,
  splitLine,
  webhookStorm,
  shortPick,
  captureRetried,
  captureDeclined,
  carrierDown,
  unknownOutcome,
  inventoryDown,
  splitTender,
  voidedAtTheTill,
  lostTender,
  storeAndForward,
  stockDiscrepancy,
  roundedSale,
  returnRefunded,
  returnByParcel,
  exchangeWithSurplus,
  overRefund,
  refundPending,
  refundFails,
  disputeWon,
  disputeLost,
  eventsDisordered,
];
