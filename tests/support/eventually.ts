const SOON_MS = 10;
const SELDOM_MS = 200;

/** Polls until a condition holds. @throws Error that names the condition */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined | false>, timeoutMs = 60_000): Promise<T> {
  const since = Date.now();
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    const waited = Date.now() - since;
    if (waited > timeoutMs) throw new Error(`${what} did not happen within ${timeoutMs} ms`);
    // Polls less often over time, because each poll takes CPU time from the tested processes.
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(SOON_MS, waited / 10), SELDOM_MS)));
  }
}

/** Whether a promise is fulfilled. */
export const succeeds = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );
