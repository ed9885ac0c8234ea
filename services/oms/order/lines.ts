import type { z } from 'zod';
import type { Allocation, Reservation as ReservationSchema } from '../../../shared/catalog/inventory/objects.ts';
import type { OrderLine as OrderLineSchema } from '../../../shared/catalog/order/objects.ts';

export type OrderLine = z.output<typeof OrderLineSchema>;
export type Reservation = z.output<typeof ReservationSchema>;

/** The reservations that the lines of an order hold, each once. */
export const reservationsOf = (lines: readonly OrderLine[]): string[] => [
  ...new Set(lines.flatMap(({ reservationId }) => (reservationId === undefined ? [] : [reservationId]))),
];

/** What must be held for the lines: one item per SKU. */
export function itemsOf(lines: readonly OrderLine[]): { sku: string; qty: number }[] {
  const items = new Map<string, number>();
  for (const { sku, qty } of lines) items.set(sku, (items.get(sku) ?? 0) + qty);
  return [...items].map(([sku, qty]) => ({ sku, qty }));
}

/** The lines with another hold, or with none; where they are served from follows from the hold. */
export const linesHeldBy = (lines: readonly OrderLine[], reservationId: string | undefined): OrderLine[] =>
  lines.map(({ reservationId: _before, nodeId: _node, ...line }) => ({ ...line, ...(reservationId !== undefined && { reservationId }) }));

/** The lines with the location that serves each: the one that gave stock of its SKU to the hold. */
export function linesServedFrom(lines: readonly OrderLine[], allocations: readonly z.output<typeof Allocation>[]): OrderLine[] {
  const nodes = new Map(allocations.map(({ sku, locationId }) => [sku, locationId]));
  return lines.map((line) => {
    const nodeId = nodes.get(line.sku);
    return nodeId === undefined ? line : { ...line, nodeId };
  });
}
