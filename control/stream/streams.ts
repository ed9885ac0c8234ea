import { Problem } from '../../shared/catalog/problems.ts';

/** Streams of one process. Each reads the store a few times per second. */
const MOST_STREAMS = 32;
const RETRY_SECONDS = 10;

export function createStreams() {
  let open = 0;
  return {
    /** Disposed when the stream ends. @throws Problem too_many_streams */
    take(): Disposable {
      if (open >= MOST_STREAMS) {
        const detail = `This gateway has ${MOST_STREAMS} open streams, which is its limit. Close one, or retry when another has ended.`;
        throw new Problem('too_many_streams', detail, { retryAfter: RETRY_SECONDS });
      }
      open += 1;
      let isTaken = true;
      return {
        [Symbol.dispose]: () => {
          if (isTaken) open -= 1;
          isTaken = false;
        },
      };
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;
