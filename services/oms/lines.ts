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
  lines.map(({ reservationId: _before, nodeId: _node, nodes: _nodes, ...line }) => ({
    ...line,
    ...(reservationId !== undefined && { reservationId }),
  }));

/** Units of a line at one location. */
export type UnitsAt = NonNullable<OrderLine['nodes']>[number];

/** The locations that serve a line, with their units. Empty: its stock is not reserved yet. */
export const nodesOf = ({ nodeId, nodes, qty }: Pick<OrderLine, 'nodeId' | 'nodes' | 'qty'>): readonly UnitsAt[] =>
  nodes ?? (nodeId === undefined ? [] : [{ locationId: nodeId, qty }]);

/** The line, served from these locations. Units at the same location are added up. */
export function servedFrom<Line extends Pick<OrderLine, 'nodeId' | 'nodes'>>(line: Line, at: readonly UnitsAt[]): Line {
  const units = new Map<string, number>();
  for (const { locationId, qty } of at) units.set(locationId, (units.get(locationId) ?? 0) + qty);
  const nodes = [...units].map(([locationId, qty]) => ({ locationId, qty }));
  const { nodes: _before, ...kept } = line;
  return { ...kept, nodeId: nodes[0]?.locationId, ...(nodes.length > 1 && { nodes }) } as Line;
}

interface Served {
  readonly sku: string;
  readonly qty: number;
}

/**
 * Gives the units of a reservation to lines in their sequence. If too few are left for a line, the last location of its SKU serves the rest,
 * because a real system may count otherwise.
 * @returns the locations of each line; empty for a line whose SKU is not reserved
 */
export function spreadOver(lines: readonly Served[], allocations: readonly z.output<typeof Allocation>[]): UnitsAt[][] {
  const free = allocations.map(({ sku, locationId, qty }) => ({ sku, locationId, qty }));
  return lines.map(({ sku, qty }) => {
    const at: UnitsAt[] = [];
    let left = qty;
    for (const one of free) {
      const units = one.sku === sku ? Math.min(one.qty, left) : 0;
      if (units === 0) continue;
      at.push({ locationId: one.locationId, qty: units });
      one.qty -= units;
      left -= units;
    }
    const last = free.findLast((one) => one.sku === sku);
    return left > 0 && last ? [...at, { locationId: last.locationId, qty: left }] : at;
  });
}

/** The lines with their nodes: the locations whose stock of the SKU is reserved. */
export function linesServedFrom(lines: readonly OrderLine[], allocations: readonly z.output<typeof Allocation>[]): OrderLine[] {
  const spread = spreadOver(lines, allocations);
  return lines.map((line, index) => {
    const at = spread[index] ?? [];
    return at.length === 0 ? line : servedFrom(line, at);
  });
}

/** What is left of a line for fewer units: the locations that come last lose theirs. */
export function keptAt(line: OrderLine, qty: number): UnitsAt[] {
  let left = qty;
  return nodesOf(line).map(({ locationId, qty: before }) => {
    const kept = Math.min(before, left);
    left -= kept;
    return { locationId, qty: kept };
  });
}

/** Value in minor units of the next `units` of a line, after its cancelled and returned units. */
export const valueOfNext = (line: OrderLine, units: number): number =>
  valueOfUnits(line, goneOf(line) + units) - valueOfUnits(line, goneOf(line));

export type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema>;
