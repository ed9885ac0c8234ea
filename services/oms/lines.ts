import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { Allocation, Reservation as ReservationSchema } from '../../shared/catalog/inventory/objects.ts';
import type { OrderLine as OrderLineSchema } from '../../shared/catalog/order/objects.ts';
import { goneOf, valueOfUnits } from '../../shared/catalog/payment/cover.ts';

export type OrderLine = z.output<typeof OrderLineSchema>;
export type Reservation = z.output<typeof ReservationSchema>;

/** Ids of the reservations of the lines, each once. */
export const reservationsOf = (lines: readonly OrderLine[]): string[] => [
  ...new Set(lines.flatMap(({ reservationId }) => (reservationId === undefined ? [] : [reservationId]))),
];

/** Items to reserve for the lines: one per SKU. */
export function itemsOf(lines: readonly Pick<OrderLine, 'sku' | 'qty'>[]): { sku: string; qty: number }[] {
  const items = new Map<string, number>();
  for (const { sku, qty } of lines) items.set(sku, (items.get(sku) ?? 0) + qty);
  return [...items].map(([sku, qty]) => ({ sku, qty }));
}

/** Sets or removes the reservation of lines. Their nodes are cleared, because the reservation determines them. */
export const linesHeldBy = (lines: readonly OrderLine[], reservationId: string | undefined): OrderLine[] =>
  lines.map(({ reservationId: _before, nodeId: _node, ...line }) => ({ ...line, ...(reservationId !== undefined && { reservationId }) }));

/** The lines with their nodes: the location whose stock of the SKU is reserved. */
export function linesServedFrom(lines: readonly OrderLine[], allocations: readonly z.output<typeof Allocation>[]): OrderLine[] {
  const nodes = new Map(allocations.map(({ sku, locationId }) => [sku, locationId]));
  return lines.map((line) => {
    const nodeId = nodes.get(line.sku);
    return nodeId === undefined ? line : { ...line, nodeId };
  });
}

/** Value in minor units of the next `units` of a line, after its cancelled and returned units. */
export const valueOfNext = (line: OrderLine, units: number): number =>
  valueOfUnits(line, goneOf(line) + units) - valueOfUnits(line, goneOf(line));

export type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema>;
