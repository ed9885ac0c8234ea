import type { ServerResponse } from 'node:http';

/** Resolves when the answer was sent, or the client has disconnected. Rejects when answering fails before. */
export const untilClosed = (response: ServerResponse, answer: (fail: (error: unknown) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    response.once('close', resolve);
    answer(reject);
  });
