/** How long somebody waits: until a deadline of wall time, and no longer than they are there. */
export interface Patience extends Disposable {
  /** Nobody waits any more. */
  isOver(): boolean;
  /** Resolves when nobody waits any more. */
  readonly over: Promise<void>;
  /** Wall time that is left, at most `ms`. */
  atMost(ms: number): number;
}

/** @param gone aborted when the client has gone */
export function patience(timeoutMs: number, gone?: AbortSignal): Patience {
  const until = Date.now() + timeoutMs;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  const leave = (): void => resolve();
  if (gone?.aborted) leave();
  gone?.addEventListener('abort', leave);
  return {
    over,
    isOver: () => gone?.aborted === true || Date.now() >= until,
    atMost: (ms) => Math.max(0, Math.min(ms, until - Date.now())),
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      gone?.removeEventListener('abort', leave);
    },
  };
}
