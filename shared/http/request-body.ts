import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../catalog/problems.ts';

/** What may stand in a request body, in bytes. */
export const BODY_BYTES = 1_048_576;

/** The client left while it was sending; nobody waits for an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export const bodyTooLarge = (): Problem => new Problem('payload_too_large', `A body has at most ${BODY_BYTES} bytes.`);

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/**
 * The whole body, unparsed. The gateway has it complete before an application is called, so that slow senders, oversized chunked bodies
 * and clients that leave half way cost no application anything, and so that it goes on with a length of its own.
 * @throws Problem payload_too_large by the announced length, else by counting
 */
export function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer | undefined> {
  if (!hasBody(request)) return Promise.resolve(undefined);
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES) return Promise.reject(bodyTooLarge());
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
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
    // An aborted request ends with an error and then closes; closing alone decides.
    request.on('error', () => {});
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
