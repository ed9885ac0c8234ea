import { connectionTrouble } from '../shared/process/connection-trouble.ts';

/** The estate did not answer: nothing listens at its address, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The code of Node or its HTTP client. */
  readonly code: string;
  constructor(sentence: string, code: string, cause: unknown) {
    super(sentence, { cause });
    this.code = code;
  }
}

/** @throws ConnectionError for an error of the connection, and any other error unchanged */
export function explainConnection(gateway: string, error: unknown): never {
  const trouble = connectionTrouble(error);
  if (trouble === undefined) throw error;
  const remedy = trouble.isBroken ? '' : ' Start an estate, or correct the address.';
  throw new ConnectionError(`No answer came from the estate at ${gateway}: ${trouble.words}.${remedy}`, trouble.code, error);
}

/** The chunks of a body. @throws ConnectionError when they end early */
export async function* explainedChunks<T>(gateway: string, chunks: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* chunks;
  } catch (error) {
    explainConnection(gateway, error);
  }
}
