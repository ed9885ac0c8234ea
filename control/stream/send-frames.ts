import type { ServerResponse } from 'node:http';

const COMMENT = ': \n\n';
const PROBE_MS = 100;
const PROBES = 5;

/** A frame of a stream of server-sent events. `alive` is a comment that keeps the connection open. */
export type Frame = { readonly event: string; readonly id: string; readonly data: unknown } | 'alive';

/**
 * Answers with server-sent events. A frame is made only after the client has taken the previous one, so that a slow client costs no memory.
 * Errors before the first frame are thrown, so that they can be answered as problems.
 */
export async function sendFrames(response: ServerResponse, frames: AsyncIterable<Frame>): Promise<void> {
  const all = frames[Symbol.asyncIterator]();
  const stopProbing = probeWhenEnded(response);
  try {
    let next = await all.next();
    // A proxy must not buffer frames.
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Accel-Buffering', 'no');
    response.flushHeaders();
    while (!next.done && !response.destroyed && response.req.method !== 'HEAD') {
      if (!response.write(textOf(next.value))) await drained(response);
      next = await all.next();
    }
  } finally {
    stopProbing();
    await all.return?.();
  }
  response.end();
}

const textOf = (frame: Frame): string =>
  frame === 'alive' ? COMMENT : `event: ${frame.event}\nid: ${frame.id}\ndata: ${JSON.stringify(frame.data)}\n\n`;

/** Comments show whether a client that half-closed the connection has left: its host then resets the connection. */
function probeWhenEnded(response: ServerResponse): () => void {
  const { socket } = response.req;
  let probing: NodeJS.Timeout | undefined;
  let probes = 0;
  const ended = (): void => {
    probing = setInterval(() => {
      if (response.headersSent) response.write(COMMENT);
      probes += 1;
      if (probes === PROBES) clearInterval(probing);
    }, PROBE_MS).unref();
  };
  socket.once('end', ended);
  return () => {
    socket.off('end', ended);
    clearInterval(probing);
  };
}

function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
