import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../catalog/problems.ts';
import { nextTurn } from '../process/waiting.ts';

/** Limit of a request body in bytes. */
export const BODY_BYTES = 1_048_576;

/** The client closed its connection while sending. No answer is expected. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export const bodyTooLarge = (): Problem => new Problem('payload_too_large', `A body has at most ${BODY_BYTES} bytes.`);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/**
 * The whole body, unparsed. The gateway reads it before it calls an application, so that slow clients, oversized chunked bodies and clients
 * that leave cost no application anything. The forwarded body has a Content-Length.
 * @throws Problem `payload_too_large` for the announced or the actual length; ClientGone
 */
export async function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer | undefined> {
  const isExpected = hasBody(request);
  if (isExpected && Number(request.headers['content-length'] ?? 0) > BODY_BYTES) throw bodyTooLarge();
  if (isExpected && /^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  // Node is still parsing. By the next turn it has parsed a short body that came together with its headers, so that it can be read without listeners.
  // Requests that arrived together also continue together, which lowers the gateway's cost of a request without a body by a sixth.
  await nextTurn();
  if (request.destroyed) throw new ClientGone();
  if (!isExpected) return undefined;
  return request.complete ? takeBody(request) : collectBody(request);
}

function takeBody(request: IncomingMessage): Buffer | undefined {
  const body = request.read() as Buffer | null;
  if (body !== null && body.length > BODY_BYTES) throw bodyTooLarge();
  return body ?? undefined;
}

function collectBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (act: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      act();
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES) chunks.push(chunk);
      else {
        request.pause();
        settle(() => reject(bodyTooLarge()));
      }
    };
    const onEnd = (): void => settle(() => resolve(bytes === 0 ? undefined : Buffer.concat(chunks, bytes)));
    const onClose = (): void => settle(() => reject(new ClientGone()));
    // An aborted request emits an error before it closes; only the close counts.
    request.on('error', () => {});
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
