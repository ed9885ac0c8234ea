import { recordStockMovement } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredReturn } from './collections.ts';

type Goods = Pick<StoredReturn, 'id' | 'locationId' | 'lines'>;

/** What was inspected is on hand again where it was handed in, or thrown away: once per line, however often this is said. */
export async function bookReturnedStock({ id, locationId, lines }: Goods, { call }: Pick<Scope, 'call'>): Promise<void> {
  for (const { orderLineId, sku, qty, disposition } of lines) {
    if (disposition === undefined) continue;
    const body = { reference: `${id} ${orderLineId} returned`, kind: disposition, locationId, sku, qty };
    await call(recordStockMovement, { body }, { step: orderLineId });
  }
}

/** How far goods were taken off the shelf again. */
export interface TakenOut {
  /** Order lines whose units are out. */
  readonly taken: readonly string[];
  /** Why the others are not: units of them were sold meanwhile. */
  readonly refusal?: Problem;
}

/**
 * Takes what was restocked out again, line by line, until one is not there any more. What was thrown away stays so. Everybody who carries
 * on the same attempt is told the same of each line: the key of the call follows from the attempt, and a refusal is kept with it.
 * @throws Problem while the Inventory Service does not answer
 */
export async function takeOut(found: StoredReturn, attempt: number, scope: Pick<Scope, 'call'>): Promise<TakenOut> {
  const { id, locationId } = found;
  const restocked = found.lines.filter(({ disposition }) => disposition === 'restock');
  const taken: string[] = [];
  // On the shelf first, when that has not been booked yet.
  if (restocked.length > 0) await bookReturnedStock(found, scope);
  for (const { orderLineId, sku, qty } of restocked) {
    const body = { reference: `${id} ${orderLineId} sent-back ${attempt}`, kind: 'sent-back' as const, locationId, sku, qty };
    try {
      await scope.call(recordStockMovement, { body }, { intent: id, step: `${orderLineId} sent-back ${attempt}` });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'insufficient_stock') throw error;
      return { taken, refusal: soldMeanwhile(id, error) };
    }
    taken.push(orderLineId);
  }
  return { taken };
}

const soldMeanwhile = (id: string, { message, context }: Problem): Problem =>
  new Problem(
    'insufficient_stock',
    `The return "${id}" cannot be rejected any more: units of it went on sale after the inspection and are gone. ${message} It has to be paid back.`,
    { ...context, objectType: 'return', id },
  );

/** What was taken out for a rejection that came to nothing is on the shelf again. */
export async function putBack(
  { id, locationId, lines }: Goods,
  { taken, attempt }: { readonly taken: readonly string[]; readonly attempt: number },
  { call }: Pick<Scope, 'call'>,
): Promise<void> {
  for (const { orderLineId, sku, qty } of lines.filter((line) => taken.includes(line.orderLineId))) {
    const body = { reference: `${id} ${orderLineId} kept ${attempt}`, kind: 'restock' as const, locationId, sku, qty };
    await call(recordStockMovement, { body }, { step: orderLineId });
  }
}
