/** A body that is longer than its reader accepts. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';

  constructor(most: number) {
    super(`its answer has more than ${most} bytes`);
  }
}

/** The bytes of a body. Leaving the loop closes the connection. @throws BodyTooLong */
export async function bytesWithin(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > most) throw new BodyTooLong(most);
  }
  return Buffer.concat(chunks);
}
