import type { Ms } from '../../shared/domain/time.ts';

/** Ends a wait at a deadline in wall time, or earlier when the client has disconnected. */
export interface WaitLimit extends Disposable {
  isOver(): boolean;
  /** Resolves when the wait must end. */
  readonly over: Promise<void>;
  /** The wall time that is left, at most `ms`. */
  atMost(ms: Ms): Ms;
}

/** @param gone aborted when the client has disconnected */
export function limitWait(timeoutMs: Ms, gone?: AbortSignal): WaitLimit {
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
