import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseWebhook } from '../../shared/control/webhook-signature.ts';
import { INSIDE_WEBHOOK_SECRET } from '../support/inside.ts';

export interface Received {
  readonly id: string;
  /** Timestamp of the sender, epoch milliseconds. */
  readonly at: number;
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the body without a schema
  readonly body: any;
  /** The error that the verification of the signature returns. */
  readonly refusal: string | undefined;
}

/** A receiver of the webhooks of a carrier; `answer` gives the answer to each. */
export async function startReceiver(
  answer: (received: Received, attempt: number) => { status: number; retryAfter?: number; afterMs?: number },
) {
  const received: Received[] = [];
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const header = (name: string): string => String(request.headers[name] ?? '');
      const at = Number(header('webhook-timestamp')) * 1_000;
      const signed = { id: header('webhook-id'), timestamp: header('webhook-timestamp'), signatures: header('webhook-signature') };
      const body = JSON.parse(text);
      const one = {
        id: signed.id,
        at,
        status: body.data.status,
        body,
        refusal: refuseWebhook(INSIDE_WEBHOOK_SECRET, { ...signed, body: text, now: at }),
      };
      received.push(one);
      const { status, retryAfter, afterMs = 0 } = answer(one, received.filter(({ id }) => id === one.id).length);
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end();
      }, afterMs).unref();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    received,
    /** The greatest number of simultaneous requests so far. */
    mostAtOnce: (): number => most,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
