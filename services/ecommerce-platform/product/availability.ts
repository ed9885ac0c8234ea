import type { z } from 'zod';
import type { ProductView } from '../../../shared/catalog/commerce/objects.ts';
import { checkAvailability } from '../../../shared/catalog/inventory/apis.ts';
import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';

/** Availability is a hint for shoppers, so the wait is short. */
const TIMEOUT_MS = 2_000;

/** With at most this many units over all locations, availability is `low`. The source document does not specify it. */
export const LOW_STOCK = 10;

export interface Availability {
  /** Units over all locations. */
  readonly atp: number;
  /** Units that the best location can serve alone. */
  readonly maxPerLine: number;
}

/** @returns undefined while the Inventory Service does not answer */
export async function readAvailability({ call, log }: Scope, sku: string, qty = 1): Promise<Availability | undefined> {
  try {
    return await call(checkAvailability, { params: { sku }, query: { qty } }, { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    // No location has ever had this SKU.
    if (error instanceof Problem && error.code === 'not_found') return { atp: 0, maxPerLine: 0 };
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, sku }, 'Inventory Service unavailable: availability unknown');
    return undefined;
  }
}

/** @param atp units over all locations; undefined while the Inventory Service does not answer */
export function shownAvailability(atp: number | undefined): z.output<typeof ProductView>['availability'] {
  if (atp === undefined) return { status: 'unknown' };
  return { status: atp <= 0 ? 'out-of-stock' : atp <= LOW_STOCK ? 'low' : 'in-stock', atp };
}
