import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly version: number;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Wall time before the answer. */
  readonly afterMs?: number;
}

/** A receiver of events. @param answer gives the answer to each request, counted from 1 per event */
export async function receiveEvents(answer: (received: ReceivedEvent, attempt: number) => Answer = () => ({ status: 204 })) {
  const received: ReceivedEvent[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { id, type, subject, aggregateversion: version } = JSON.parse(text);
      const one = { headers: request.headers, text, id, type: type.replace('com.unified-commerce.', ''), subject, version };
      received.push(one);
      const { status, headers = {}, body, afterMs = 0 } = answer(one, received.filter((other) => other.id === id).length);
      setTimeout(() => response.writeHead(status, headers).end(body), afterMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    received,
    types: (): readonly string[] => received.map(({ type }) => type),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
