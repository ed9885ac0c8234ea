import { isUnknownOutcome, Problem } from '../../../shared/catalog/problems.ts';

/**
 * Repeats a call once, under the same key, when its answer was lost. The repeat is answered with the outcome of the first call.
 * @throws Problem of the call
 */
export async function retryLostAnswer<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (lost) {
    if (!isUnknownOutcome(lost)) throw lost;
    return call().catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'idempotency_in_progress' ? lost : error;
    });
  }
}
