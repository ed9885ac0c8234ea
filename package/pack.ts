import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeClient } from './client.ts';
import { DIST, PROJECT } from './project.ts';
import { writeServer } from './server.ts';

/** `npm run package -- --pack-destination <folder>` writes the archives of both packages there. */
const { values } = parseArgs({ options: { 'pack-destination': { type: 'string', default: PROJECT } } });

await rm(DIST, { recursive: true, force: true });
try {
  await Promise.all([writeClient(), writeServer()]);
  const folders = ['client', 'server'].map((name) => join(DIST, name));
  const archives = execFileSync('npm', ['pack', '--silent', '--pack-destination', values['pack-destination'], ...folders], {
    encoding: 'utf8',
  });
  process.stdout.write(archives);
} finally {
  await rm(DIST, { recursive: true, force: true });
}
