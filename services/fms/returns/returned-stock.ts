import { recordStockMovement } from '../../../shared/catalog/inventory/internal.ts';
import type { Scope } from '../../../shared/contract/handler.ts';
import type { StoredReturn } from './collections.ts';

/** What was inspected is on hand again where it was handed in, or thrown away: once per line, however often this is said. */
export async function bookReturnedStock({ id, locationId, lines }: StoredReturn, { call }: Pick<Scope, 'call'>): Promise<void> {
  for (const { orderLineId, sku, qty, disposition } of lines) {
    if (disposition === undefined) continue;
    const body = { reference: `${id} ${orderLineId} returned`, kind: disposition, locationId, sku, qty };
    await call(recordStockMovement, { body }, { step: orderLineId });
  }
}

/** What was restocked leaves again, once per line. What was thrown away stays so. @throws Problem when it was sold meanwhile */
export async function sendBack({ id, locationId, lines }: StoredReturn, { call }: Pick<Scope, 'call'>): Promise<void> {
  for (const { orderLineId, sku, qty } of lines.filter(({ disposition }) => disposition === 'restock')) {
    const body = { reference: `${id} ${orderLineId} sent-back`, kind: 'sent-back' as const, locationId, sku, qty };
    await call(recordStockMovement, { body }, { step: `${orderLineId} sent-back` });
  }
}
