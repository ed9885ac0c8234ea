import { notFound } from '../../../shared/catalog/problems.ts';

const FULFILLMENT_ID = /^ful_(.+)$/;

/**
 * The id of the picking order of a fulfillment order. It is derived: the FMS gets it before it is stored here, and a request that
 * takes over after a crash has to name the same id.
 * @throws Problem `not_found` for anything but the id of a fulfillment order
 */
export function pickingOrderIdOf(fulfillmentOrderId: string): string {
  const [, tail] = FULFILLMENT_ID.exec(fulfillmentOrderId) ?? [];
  if (tail === undefined) throw notFound('fulfillment-order', fulfillmentOrderId);
  return `pck_${tail}`;
}
