import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** @param files contents by relative path, written as JSON */
export async function temporaryFolder(files: Readonly<Record<string, unknown>>): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'bench-peer-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), JSON.stringify(content));
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
