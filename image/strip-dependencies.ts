import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Takes out of node_modules what no process of the image ever loads; what packages publish is mostly for compilers, browsers,
 * debuggers and readers. Licences stay. Run while the image is built: `node strip-dependencies.ts <node_modules>`.
 */

/** Kinds of files, wherever they lie. Node does not strip types below node_modules, so it cannot load any .ts there. */
const KINDS = /\.(map|[cm]?ts|tsx|md|markdown|html|flow|tgz|gz|ps|gyp|lock|yml|yaml)$/i;

/** Folders, directly below a package; deeper ones of these names may hold code. */
const FOLDERS = /^(\..+|tests?|__tests__|docs?|examples?|bench|benchmarks?|types|typings|man|coverage)$/;

/** What single packages carry besides the one form in which our code, which is ES modules on Node, loads them. */
const FORMS: Readonly<Record<string, readonly RegExp[]>> = {
  'bwip-js': [/^(bin|fonts|lib|src)\//, /^dist\/(?!bwip-js-node\.mjs$|bwipp\.mjs$)/],
  pdfkit: [/^js\/pdfkit(?!\.node\.mjs$)/, /^tools\//],
  fontkit: [/^dist\/(?!module\.mjs$)/, /^src\//],
  zod: [/\.cjs$/, /^src\//, /^v3\//],
  yaml: [/^browser\//],
  undici: [/^scripts\//],
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
if (modules === undefined) throw new Error('Say which node_modules.');
await strip(modules);
