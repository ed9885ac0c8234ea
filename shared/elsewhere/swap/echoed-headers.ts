import { censorEchoes } from '../../domain/echoed-secrets.ts';
import { inShortTurns } from '../../process/waiting.ts';
import type { SeededSwap } from './stored-swap.ts';

/** A shorter header value may be a common word. */
const SHORTEST_SECRET = 8;
/** Maximum number of words of a header value that are separate secrets. */
const MOST_WORDS = 20;

/** A system that echoes the configured headers must not carry them into answers and records. */
export async function withoutSecrets(body: Buffer, { headers }: Pick<SeededSwap, 'headers'>): Promise<Buffer> {
  const secrets = Object.values(headers).flatMap(secretsIn);
  if (secrets.length === 0) return body;
  return Buffer.from(await censorEchoes(body.toString('latin1'), secrets, inShortTurns()), 'latin1');
}

/** A value, its words, and the password of a user. */
function secretsIn(value: string): readonly string[] {
  const words = value.split(/\s+/);
  const [, user] = /^basic\s+(\S+)$/i.exec(value) ?? [];
  const [, password = ''] = /^[^:]*:([\x20-\x7e]+)$/.exec(Buffer.from(user ?? '', 'base64').toString('latin1')) ?? [];
  return [value, ...words.slice(0, MOST_WORDS), password].filter(({ length }) => length >= SHORTEST_SECRET);
}
