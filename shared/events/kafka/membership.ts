import { pause } from '../../process/waiting.ts';

export interface Membership {
  /** Tells the reason when the broker or the library ended it. */
  readonly ended: Promise<unknown>;
  /** Wall time at which something was last heard of the broker. */
  readonly lastSign: () => number;
}

export interface Watch {
  /** How long a member may hear nothing. */
  readonly deafMs: number;
  /** How often that is looked at. */
  readonly everyMs: number;
  readonly stopping: AbortSignal;
}

/**
 * Resolves with the reason when a membership has ended, when nothing was heard for too long, or when it is to stop. Nothing that watched it
 * is left behind, so that one may join again as often as a broker makes it.
 */
export async function endOfMembership({ ended, lastSign }: Membership, { deafMs, everyMs, stopping }: Watch): Promise<unknown> {
  const watching = new AbortController();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const onStop = (): void => stop();
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', onStop);

  async function deafness(): Promise<Error | undefined> {
    while (Date.now() - lastSign() < deafMs) {
      if (watching.signal.aborted) return undefined;
      await pause(everyMs, watching.signal);
    }
    return new Error(`nothing was heard of the broker for ${deafMs / 1_000} seconds`);
  }

  try {
    return await Promise.race([ended, deafness(), stopped]);
  } finally {
    watching.abort();
    stopping.removeEventListener('abort', onStop);
  }
}
