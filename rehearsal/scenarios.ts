import type { Scenario } from './scenario.ts';
import { declinedThenPaid, digitalOrder } from './scenarios/digital-order.ts';
import { deliveredOrder, lostParcel, partialDelivery, webhookStorm } from './scenarios/fulfillment.ts';
import { compensationWaits, eventsDisordered, loyaltyDown } from './scenarios/outages.ts';
import { exchangeWithSurplus, overRefund, returnByParcel, returnRefunded } from './scenarios/returns.ts';
import { holdExpired, holdLost, lastUnit } from './scenarios/stock.ts';
import { lostTender, splitTender, stockDiscrepancy, storeAndForward, voidedAtTheTill } from './scenarios/till.ts';
import { captureRetried, carrierDown, inventoryDown, shortPick, unknownOutcome } from './scenarios/trouble.ts';

/** All scenarios, the simplest first. */
export const scenarios: readonly Scenario[] = [
  digitalOrder,
  declinedThenPaid,
  holdExpired,
  holdLost,
  lastUnit,
  loyaltyDown,
  compensationWaits,
  deliveredOrder,
  lostParcel,
  partialDelivery,
  webhookStorm,
  shortPick,
  captureRetried,
  carrierDown,
  unknownOutcome,
  inventoryDown,
  splitTender,
  voidedAtTheTill,
  lostTender,
  storeAndForward,
  stockDiscrepancy,
  returnRefunded,
  returnByParcel,
  exchangeWithSurplus,
  overRefund,
  eventsDisordered,
];
