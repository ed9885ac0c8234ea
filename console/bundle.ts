import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib';
import type { Metafile, Plugin } from 'esbuild';
import { scalarScript } from './scalar.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
/** The files of the pages, in an image or the server package. A clone has none and bundles them when they are needed. */
export const BUILT = fileURLToPath(new URL('../ui/built/', import.meta.url));
export const LIST = 'pages.json';
const ENTRIES = { console: 'ui/console.tsx', reference: 'ui/reference/scalar-page.ts', icon: 'ui/kit/icon.svg' };
/** Most visits begin with this page. */
const LANDING = 'ui/overview/overview.tsx';
const SCALAR = 'scalar.js';

export type Encoding = 'br' | 'gzip' | 'identity';

/** Names of files: what the HTML pages refer to. */
export interface Pages {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  /** Modules of the first page. */
  readonly preloads: readonly string[];
  readonly reference: { readonly script: string; readonly style: string; readonly scalar: string };
}

export interface Bundle {
  readonly pages: Pages;
  /** @returns the content of a file; undefined when the bundle has no file of this name */
  read(name: string, encoding: Encoding): Promise<Buffer | undefined>;
}

export interface Built {
  readonly pages: Pages;
  readonly names: readonly string[];
}

/** The built files of the pages, or else a bundle in memory. @throws Error when the pages cannot be bundled */
export function createBundles(isProduction: boolean): () => Promise<Bundle> {
  let built: Bundle | undefined;
  return async () => {
    if (!built && !existsSync(BUILT)) return bundledInMemory(isProduction);
    built ??= await readBuilt(BUILT);
    return built;
  };
}

/** Files with hashes in their names. Only their compressed copies are kept. */
async function readBuilt(folder: string): Promise<Bundle> {
  const { pages, names } = JSON.parse(await readFile(join(folder, LIST), 'utf8')) as Built;
  const known = new Set(names);
  const read: Bundle['read'] = async (name, encoding) => {
    if (!known.has(name)) return undefined;
    const packed = await readFile(join(folder, `${name}.${encoding === 'br' ? 'br' : 'gz'}`));
    return encoding === 'identity' ? promisify(gunzip)(packed) : packed;
  };
  return { pages, read };
}

interface Output {
  readonly pages: Pages;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Paths of the sources. */
  readonly inputs: readonly string[];
}

let latest: { readonly output: Promise<Output>; readonly at: number } | undefined;
/** Keeps earlier bundles: an open page may still load one of its parts. */
const filesInMemory = new Map<string, Uint8Array>();
const compressed = new Map<string, Promise<Buffer>>();

/** One bundle for all servers of the process, made anew when a source has changed and this is not production. */
async function bundledInMemory(isProduction: boolean): Promise<Bundle> {
  const known = await latest?.output.catch(() => undefined);
  if (!latest || !known || (!isProduction && hasChanged(known.inputs, latest.at)))
    latest = { output: bundle(isProduction), at: Date.now() };
  const { pages, files } = await latest.output;
  for (const [name, content] of files) filesInMemory.set(name, content);
  return { pages, read: readFromMemory };
}

const hasChanged = (inputs: readonly string[], since: number): boolean =>
  inputs.some((file) => (statSync(join(PROJECT, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) > since);

async function readFromMemory(name: string, encoding: Encoding): Promise<Buffer | undefined> {
  if (name === SCALAR && !filesInMemory.has(SCALAR)) filesInMemory.set(SCALAR, Buffer.from(await scalarScript()));
  const content = filesInMemory.get(name);
  if (!content || encoding === 'identity') return content && Buffer.from(content);
  const key = `${name} ${encoding}`;
  const packed = compressed.get(key) ?? (encoding === 'br' ? promisify(brotliCompress)(content, FAST) : promisify(gzip)(content));
  compressed.set(key, packed);
  return packed;
}

/** Nearly the smallest size, at a tenth of the cost. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** @throws Error when a source is wrong, or when esbuild is missing */
export async function bundle(isProduction: boolean): Promise<Output> {
  const { build } = await import('esbuild').catch((error: { readonly code?: string }) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('The pages are bundled by development dependencies, which are missing: run "npm ci" without "--omit=dev".');
  });
  const { outputFiles, metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: ENTRIES,
    outdir: BUILT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    // An image has no tsconfig.json.
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'esnext',
    minify: isProduction,
    sourcemap: !isProduction,
    legalComments: 'none',
    loader: { '.svg': 'copy' },
    plugins: [evaluatedCatalogs],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  return { pages: pagesOf(metafile), files, inputs: Object.keys(metafile.inputs).map((file) => file.replace(/^[\w-]+:/, '')) };
}

/** Puts the values of a `catalog.ts` of the pages in its place. */
const evaluatedCatalogs: Plugin = {
  name: 'evaluated-catalogs',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/ui\/[\w-]+\/catalog\.ts$/ }, async ({ path }) => {
      const values = Object.entries((await import(pathToFileURL(path).href)) as object);
      return { loader: 'js', contents: values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n') };
    });
  },
};

function pagesOf({ outputs }: Metafile): Pages {
  const made = Object.entries(outputs).map(([path, output]) => ({ name: basename(path), ...output }));
  const outputOf = (entry: string) => {
    const found = made.find(({ entryPoint }) => entryPoint === entry);
    if (!found) throw new Error(`The bundle has no output of ${entry}.`);
    return found;
  };
  const byName = new Map(made.map((output) => [output.name, output]));
  const needed = new Set([outputOf(ENTRIES.console).name, outputOf(LANDING).name]);
  for (const name of needed) {
    for (const { path, kind } of byName.get(name)?.imports ?? []) if (kind === 'import-statement') needed.add(basename(path));
  }
  const [console, reference] = [outputOf(ENTRIES.console), outputOf(ENTRIES.reference)];
  const icon = made.find(({ name }) => name.endsWith('.svg'))?.name ?? '';
  return {
    script: console.name,
    style: basename(console.cssBundle ?? ''),
    icon,
    preloads: [...needed],
    reference: { script: reference.name, style: basename(reference.cssBundle ?? ''), scalar: SCALAR },
  };
}
