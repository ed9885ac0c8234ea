import { pause } from '../../process/waiting.ts';

export interface Membership {
  /** Resolves with the reason when the broker or the library ends the membership. */
  readonly ended: Promise<unknown>;
  /** Wall time of the last message from the broker. */
  readonly lastSign: () => number;
}

export interface Watch {
  /** Longest time without a message from the broker. */
  readonly deafMs: number;
  /** Interval of the check. */
  readonly everyMs: number;
  readonly stopping: AbortSignal;
}

/** Resolves with the reason when a membership has ended, the broker is silent, or stopping. Leaves no timer or listener behind. */
export async function endOfMembership({ ended, lastSign }: Membership, { deafMs, everyMs, stopping }: Watch): Promise<unknown> {
  const watching = new AbortController();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const onStop = (): void => stop();
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', onStop);

  async function silence(): Promise<Error | undefined> {
    while (!watching.signal.aborted) {
      if (Date.now() - lastSign() >= deafMs) return new Error(`no sign of the broker for ${deafMs / 1_000} seconds`);
      await pause(everyMs, watching.signal);
    }
    return undefined;
  }

  try {
    return await Promise.race([ended, silence(), stopped]);
  } finally {
    watching.abort();
    stopping.removeEventListener('abort', onStop);
  }
}
