import { z } from 'zod';
import { Id } from '../../../shared/catalog/shapes.ts';
import type { DueHandler } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { putBack } from '../returns/returned-stock.ts';

const TakenOut = z.object({ returnId: Id, attempt: z.int(), taken: z.array(Id) });

/** A rejection came to nothing: what it took out of stock is on hand again. */
export const putBackLater: DueHandler = async ({ payload }, scope) => {
  const { returnId, ...out } = TakenOut.parse(payload);
  const found = await scope.work.get(returns, returnId);
  if (found) await putBack(found, out, scope);
};
