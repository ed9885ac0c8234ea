import { type Dispatcher, Pool } from 'undici';

/** A request that is sent again and again, on one connection. */
export interface Attack {
  readonly url: string;
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

type Message = { readonly attack: Attack } | 'stop';

/**
 * A hostile client. It has its own process, so that its work does not delay the other client. A message with an attack starts it and gets its
 * first status as reply; the message `stop` ends it and gets the number of its requests.
 */
let isOver = true;
let ended: Promise<number> = Promise.resolve(0);

async function repeat({ url, method, path, headers, body }: Attack): Promise<number> {
  const pool = new Pool(url, { connections: 1 });
  const bytes = body === null ? null : Buffer.from(body);
  let requests = 0;
  while (!isOver) {
    const { statusCode, body: answer } = await pool.request({ method, path, headers, body: bytes });
    await answer.dump();
    if (requests++ === 0) process.send?.({ firstStatus: statusCode });
  }
  await pool.close();
  return requests;
}

process.on('message', async (message: Message) => {
  if (message === 'stop') {
    isOver = true;
    process.send?.({ requests: await ended });
    return;
  }
  isOver = false;
  ended = repeat(message.attack);
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
