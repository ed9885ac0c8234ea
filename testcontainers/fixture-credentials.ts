import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Credential } from '../fixtures/files.ts';
import type { EstateCredentials } from '../rehearsal/estate-rehearsal.ts';
import { EstateStartError } from './last-words.ts';

/**
 * Credentials for an estate with custom fixtures: the first credential of each kind in their credentials.json.
 * @throws EstateStartError when a kind is missing
 */
export function credentialsOf(folder: string): EstateCredentials {
  const file = join(folder, 'credentials.json');
  const rows = z.array(Credential).parse(JSON.parse(readFileSync(file, 'utf8')));
  const secretOf = (kind: Credential['kind'], scope: Credential['scopes'][number]): string => {
    const found = rows.find((row) => row.kind === kind && row.scopes.includes(scope));
    if (!found) throw new EstateStartError(`${file} has no credential of kind ${kind} with the scope ${scope}.`);
    return found.secret;
  };
  return { bearer: secretOf('bearer', 'catalog'), apiKey: secretOf('api-key', 'catalog'), admin: secretOf('bearer', 'sim:admin') };
}
