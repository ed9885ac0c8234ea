import { recordStockMovement } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { bookReturnedStockDue, putBackDue } from '../due-work.ts';
import { returns, type StoredReturn } from './collections.ts';

/** Books inspected goods as on hand at their location, or as scrapped. Each line counts once. */
async function bookReturnedStock({ id, locationId, lines }: StoredReturn, { call }: Pick<Scope, 'call'>): Promise<void> {
  for (const { orderLineId, sku, qty, disposition } of lines) {
    if (disposition === undefined) continue;
    const body = { reference: `${id} ${orderLineId} returned`, kind: disposition, locationId, sku, qty };
    await call(recordStockMovement, { body }, { step: orderLineId });
  }
}

/** The result of taking goods out of stock. */
interface TakenOut {
  /** Order lines whose units are out of stock. */
  readonly taken: readonly string[];
  /** Why the other lines are still in stock: some of their units were sold. */
  readonly refusal?: Problem;
}

/**
 * Takes restocked units out again, line by line, until one line lacks stock. Scrapped units stay scrapped. The key of each call follows
 * from the attempt, so every run of one attempt gets the same answers, refusals included.
 * @throws Problem while the Inventory Service does not answer
 */
export async function takeOut(found: StoredReturn, attempt: number, scope: Pick<Scope, 'call'>): Promise<TakenOut> {
  const { id, locationId } = found;
  const restocked = found.lines.filter(({ disposition }) => disposition === 'restock');
  const taken: string[] = [];
  // The units can leave the stock only after the inspection has booked them.
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
    `The return "${id}" can no longer be rejected: units of it were sold after the inspection. ${message} It has to be paid back.`,
    { ...context, objectType: 'return', id },
  );

export const bookReturnedStockLater = handleDue(bookReturnedStockDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  if (found) await bookReturnedStock(found, scope);
});

/** After a refused rejection, the goods that it took out of stock are on hand again. */
export const putBack = handleDue(putBackDue)(async ({ payload: { returnId, taken, attempt } }, { work, call }) => {
  const found = await work.get(returns, returnId);
  if (!found) return;
  const { id, locationId, lines } = found;
  for (const { orderLineId, sku, qty } of lines.filter((line) => taken.includes(line.orderLineId))) {
    const body = { reference: `${id} ${orderLineId} kept ${attempt}`, kind: 'restock' as const, locationId, sku, qty };
    await call(recordStockMovement, { body }, { step: orderLineId });
  }
});
