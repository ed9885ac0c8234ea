import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checked, FixtureError, readJson, together } from '../fixtures/checked-file.ts';
import { type Credential, files } from '../fixtures/files.ts';
import { DEMO_CREDENTIALS, type EstateCredentials } from '../rehearsal/estate-rehearsal.ts';
import { EstateStartError } from './start-failure.ts';

const { file: FILE, rows: ROWS } = files.credentials;
const OVERLAY = 'credentials.overlay.json';

/**
 * Credentials for an estate with custom fixtures: the first credential of each kind in their credentials.json, or the demo credentials if
 * the folder does not have this file.
 * @throws EstateStartError when the file cannot be used, or a kind is missing
 */
export function credentialsOf(folder: string): EstateCredentials {
  requireFolder(folder);
  if (existsSync(join(folder, OVERLAY))) {
    throw new EstateStartError(`${join(folder, OVERLAY)} is not read by withFixtures; write all credentials into ${FILE}.`);
  }
  if (!existsSync(join(folder, FILE))) return DEMO_CREDENTIALS;
  const rows = rowsOf(folder);
  const secretOf = (kind: Credential['kind'], scope: Credential['scopes'][number]): string => {
    const found = rows.find((row) => row.kind === kind && row.scopes.includes(scope));
    if (!found) throw new EstateStartError(`${join(folder, FILE)} has no credential of kind ${kind} with the scope ${scope}; add one.`);
    return found.secret;
  };
  return { bearer: secretOf('bearer', 'catalog'), apiKey: secretOf('api-key', 'catalog'), admin: secretOf('bearer', 'control') };
}

function requireFolder(folder: string): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new EstateStartError(
      `The folder ${folder} does not exist; withFixtures takes a folder with the files of the project’s fixtures.`,
    );
  }
}

function rowsOf(folder: string): readonly Credential[] {
  try {
    const { value, mistakes } = checked(ROWS, readJson(pathToFileURL(join(folder, '/')), FILE), { file: FILE });
    if (mistakes.length > 0) throw together(mistakes);
    return value;
  } catch (error) {
    if (!(error instanceof FixtureError)) throw error;
    const lines = error.message.split('\n').map((line) => join(folder, line));
    throw new EstateStartError(lines.join('\n'));
  }
}
