import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes files from node_modules that no process of the image loads: most published files serve compilers, browsers,
 * debuggers and readers. Licences stay. Runs while the image is built: `node strip-dependencies.ts <node_modules>`.
 */

/** File extensions to remove anywhere. Node does not strip types below node_modules, so it cannot load .ts files there. */
const KINDS = /\.(map|[cm]?ts|tsx|md|markdown|html|flow|tgz|gz|ps|gyp|lock|yml|yaml)$/i;

/** Folders to remove directly below a package. Deeper folders with these names may hold code. */
const FOLDERS = /^(\..+|tests?|__tests__|docs?|examples?|bench|benchmarks?|types|typings|man|coverage)$/;

/** Redundant builds in single packages: our code runs as ES modules on Node and loads only one of them. */
const FORMS: Readonly<Record<string, readonly RegExp[]>> = {
  'bwip-js': [/^(bin|fonts|lib|src)\//, /^dist\/(?!bwip-js-node\.mjs$|bwipp\.mjs$)/],
  pdfkit: [/^js\/pdfkit(?!\.node\.mjs$)/, /^tools\//],
  fontkit: [/^dist\/(?!module\.mjs$)/, /^src\//],
  zod: [/\.cjs$/, /^src\//, /^v3\//],
  yaml: [/^browser\//],
  undici: [/^scripts\//],
  'csv-parse': [/^dist\//, /\.d\.ts$/],
  'eventsource-parser': [/^src\//],
};

const keep = (path: string): boolean => /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i.test(path);

async function strip(modules: string): Promise<void> {
  for (const entry of await readdir(modules, { withFileTypes: true })) {
    const path = join(modules, entry.name);
    if (entry.name.startsWith('.')) await rm(path, { recursive: true });
    else if (entry.name.startsWith('@')) await strip(path);
    else if (entry.isDirectory()) await stripPackage(path, path.split('node_modules/').at(-1) ?? '');
  }
}

async function stripPackage(folder: string, name: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name === 'node_modules') await strip(join(folder, entry.name));
    else if (entry.isDirectory() && FOLDERS.test(entry.name)) await rm(join(folder, entry.name), { recursive: true });
  }
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    const within = path.slice(folder.length + 1);
    if (!file.isFile() || keep(within) || within.includes('node_modules/')) continue;
    if (KINDS.test(within) || FORMS[name]?.some((form) => form.test(within))) await rm(path);
  }
}

const [, , modules] = process.argv;
if (modules === undefined) throw new Error('Name the folder node_modules.');
await strip(modules);
