import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { isBackAtSender } from './fulfillment.ts';
import { type Check, sums } from './invariant.ts';
import { keyOf } from './reserved-units.ts';
import type { Return } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema>;

/** Inspected units are on hand again or counted as scrapped; units that went back to the customer are neither. */
export function checkReturnedStock({ of, counters, queued }: WorldRecords, all: readonly Return[], check: Check): void {
  const moved = counters('inventory-service', 'units-moved');
  const settled = all.filter(({ id }) => !queued('fms', id));
  const busy = new Set(
    all.filter((one) => !settled.includes(one)).flatMap(({ lines, locationId }) => lines.map(({ sku }) => keyOf({ sku, locationId }))),
  );
  const unitsOf = (disposition: 'restock' | 'scrap') =>
    settled
      .filter(({ state }) => state !== 'rejected' || disposition === 'scrap')
      .flatMap(({ lines, locationId }) =>
        lines.filter((line) => line.disposition === disposition).map(({ sku, qty }) => ({ sku, qty, locationId })),
      );
  const sender = of<FulfillmentOrder>('fulfillment-order').filter(isBackAtSender);
  for (const { lines, locationId } of sender.filter(({ id }) => queued('fms', id))) {
    for (const { sku } of lines) busy.add(keyOf({ sku, locationId }));
  }
  const undelivered = sender.flatMap(({ lines, locationId }) => lines.map(({ sku, pickedQty }) => ({ sku, locationId, qty: pickedQty })));
  for (const [counter, units] of [
    ['returned', [...unitsOf('restock'), ...undelivered]],
    ['scrapped', unitsOf('scrap')],
  ] as const) {
    const expected = sums(units, keyOf, ({ qty }) => qty);
    for (const key of new Set([...expected.keys(), ...Object.keys(moved)])) {
      const counted = moved[key]?.[counter] ?? 0;
      check(
        busy.has(key) || counted === (expected.get(key) ?? 0),
        `stock/${key}: ${counted} ${counter}, and ${expected.get(key) ?? 0} came back`,
      );
    }
  }
}
