import { checkAvailability } from '../../../shared/catalog/inventory/apis.ts';
import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';

/** What can be promised only advises a shopper: nobody waits long for it. */
const PATIENCE_MS = 2_000;

export interface Availability {
  /** Units over all nodes. */
  readonly atp: number;
  /** Units that the best single node can serve. */
  readonly maxPerLine: number;
}

/** Asks the Inventory Service. @returns undefined while it does not answer */
export async function availability({ call, log }: Scope, sku: string, qty = 1): Promise<Availability | undefined> {
  try {
    return await call(checkAvailability, { params: { sku }, query: { qty } }, { timeoutMs: PATIENCE_MS });
  } catch (error) {
    // A SKU that no node has ever held.
    if (error instanceof Problem && error.code === 'not_found') return { atp: 0, maxPerLine: 0 };
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, sku }, 'availability unknown');
    return undefined;
  }
}
