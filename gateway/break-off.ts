import type { IncomingMessage, ServerResponse } from 'node:http';

/** Sends half of a body, and breaks the connection. The head of the answer has the length of the whole body. */
export function breakOff(response: ServerResponse, body: string | Buffer): void {
  const bytes = Buffer.from(body as string);
  // HEAD has no body that would be sent together with the head.
  response.flushHeaders();
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}

/** Receives the whole body of an application's answer, so that the client gets exactly half of it. */
export function breakOffReceived(answer: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  answer
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => breakOff(response, Buffer.concat(chunks)))
    .on('error', () => response.destroy());
}
