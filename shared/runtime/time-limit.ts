/**
 * Runs something that can be aborted, and aborts it with a `TimeoutError` when `ms` of wall time are over. `AbortSignal.timeout` would
 * leave its timer behind: requests that were answered long ago would wait for it by the thousand, and each ends in an error for nobody.
 */
export async function withTimeLimit<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException(`It took more than ${ms} ms.`, 'TimeoutError')), ms);
  try {
    return await run(limit.signal);
  } finally {
    clearTimeout(timer);
  }
}
