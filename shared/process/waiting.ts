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

/** Ends early when it is stopped. */
export function pauseFor(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    if (stopped.aborted) end();
    else stopped.addEventListener('abort', end);
  });
}

/** @returns whether it ended within the time */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
