import { cp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { buildDrawings } from '../console/drawings.ts';
import { callTypes } from './call-types.ts';
import { clientManifest } from './manifests.ts';
import { bundle, compile, copyTo, DIST, licencesOf, PROJECT, write } from './project.ts';

const FOLDER = join(DIST, 'client');
const DECLARATIONS = join(DIST, 'declarations');
/** Files that the command line reads. */
const READ = ['LICENSE', 'command-line/loaded-first.cjs', 'command-line/oldest-node.cjs'];
/** The package of client, rehearsals and command line. Its dependencies are bundled. */
export async function writeClient(): Promise<void> {
  const bundled = await Promise.all([
    // One build for `import` and `require`: classes such as ApiRefusal exist once, and test runners without ES modules can load it.
    bundle({ entry: 'rehearsal/public.ts', to: join(FOLDER, 'client-code.js'), format: 'cjs' }),
    bundle({
      entry: 'testcontainers/public.ts',
      to: join(FOLDER, 'testcontainers-code.js'),
      format: 'cjs',
      external: ['testcontainers'],
      plugins: [sharesTheClient],
    }),
    bundle({ entry: 'command-line/program.ts', to: join(FOLDER, 'command-line.mjs'), format: 'esm' }),
  ]);
  const drawn = await buildDrawings(join(FOLDER, 'ui/built'));
  await write(
    join(FOLDER, 'THIRD-PARTY-LICENSES.txt'),
    await licencesOf([...bundled.flatMap(({ inputs }) => Object.keys(inputs)), ...drawn]),
  );
  await write(join(FOLDER, 'client.js'), entryTo('./client-code.js'));
  await write(join(FOLDER, 'testcontainers.js'), entryTo('./testcontainers-code.js'));
  await cp(join(PROJECT, 'package/estate.cjs'), join(FOLDER, 'estate.cjs'));
  await copyTo(FOLDER, READ);
  await writeDeclarations();
  await write(join(FOLDER, 'package.json'), `${JSON.stringify(clientManifest, null, 2)}\n`);
}

/** An entry point that an older Node can parse, so that it reports the version it needs instead of a syntax error. */
const entryTo = (code: string): string =>
  `'use strict';\nrequire('./command-line/oldest-node.cjs').requireNode();\nmodule.exports = require('${code}');\n`;

const sharesTheClient: Plugin = {
  name: 'shares-the-client',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/rehearsal\/[a-z-]+\.ts$/ }, () => ({ path: './client-code.js', external: true }));
  },
};

/** The declarations of the entry points and their imports. The types of the calls are written out. */
async function writeDeclarations(): Promise<void> {
  compile('tsconfig.declarations.json');
  await write(join(DECLARATIONS, 'rehearsal/call-types.d.ts'), callTypes());
  const reached = new Set<string>();
  const open = ['rehearsal/public', 'testcontainers/public'];
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    if (reached.has(module)) continue;
    reached.add(module);
    const text = await readFile(join(DECLARATIONS, `${module}.d.ts`), 'utf8');
    for (const [, target = ''] of text.matchAll(/from '(\.[^']+)\.ts'/g)) open.push(join(dirname(module), target));
    // In a CommonJS package, imports end in .js.
    const types = text.replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'");
    await write(join(FOLDER, `types/${module}.d.ts`), `/// <reference lib="esnext.disposable" />\n${types}`);
  }
  await rm(DECLARATIONS, { recursive: true });
}
