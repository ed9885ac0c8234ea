import { Problem } from '../../shared/catalog/problems.ts';

/** Streams of one process. Each reads the store a few times per second. */
const MOST_STREAMS = 32;
/** Streams of one rehearsal in one process. So one rehearsal leaves room for the others. */
const MOST_OF_REHEARSAL = MOST_STREAMS / 2;
const RETRY_SECONDS = 10;

export function createStreams() {
  /** The open streams, by rehearsal. */
  const open = new Map<string, number>();

  function refuseMore(rehearsal: string): void {
    const ofRehearsal = open.get(rehearsal) ?? 0;
    const all = [...open.values()].reduce((sum, number) => sum + number, 0);
    const limit =
      all >= MOST_STREAMS
        ? `This gateway has ${MOST_STREAMS} open streams, which is its limit.`
        : ofRehearsal >= MOST_OF_REHEARSAL
          ? `The rehearsal "${rehearsal}" has ${MOST_OF_REHEARSAL} open streams in this gateway, which is its limit.`
          : undefined;
    if (limit === undefined) return;
    throw new Problem('too_many_streams', `${limit} Close one, or retry when another has ended.`, { retryAfter: RETRY_SECONDS });
  }

  function leave(rehearsal: string): void {
    const left = (open.get(rehearsal) ?? 1) - 1;
    if (left === 0) open.delete(rehearsal);
    else open.set(rehearsal, left);
  }

  return {
    /** Disposed when the stream ends. @throws Problem too_many_streams */
    take(rehearsal: string): Disposable {
      refuseMore(rehearsal);
      open.set(rehearsal, (open.get(rehearsal) ?? 0) + 1);
      let isTaken = true;
      return {
        [Symbol.dispose]: () => {
          if (isTaken) leave(rehearsal);
          isTaken = false;
        },
      };
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;
