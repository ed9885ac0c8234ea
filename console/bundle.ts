import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { BuildOptions, BuildResult, Metafile, Plugin } from 'esbuild';
import { scalarScript } from './scalar.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
/** The files of the pages, in an image or the server package. A clone has none and bundles them when they are needed. */
export const BUILT = fileURLToPath(new URL('../ui/built/', import.meta.url));
export const LIST = 'pages.json';

/** The entries of each bundle, with its script under its name. A page waits for its own bundle only. */
const ENTRIES: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  console: { console: 'ui/console.tsx', icon: 'ui/kit/icon.svg' },
  reference: { reference: 'ui/reference/scalar-page.ts', scalar: 'scalar.txt', icon: 'ui/kit/icon.svg' },
  portal: { portal: 'ui/portal.tsx', icon: 'ui/touchpoint/icon.svg' },
};
export const PARTS = ['console', 'reference', 'portal'] as const;
export type Part = (typeof PARTS)[number];
/** Most visits begin with this page. */
const LANDING = 'ui/overview/overview.tsx';

/** Names of files: what an HTML page refers to. */
export interface Page {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  /** Modules that the page needs first. */
  readonly preloads: readonly string[];
  readonly scalar: string;
}

interface Output {
  readonly page: Page;
  /** Compressed. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Paths of the sources. */
  readonly inputs: readonly string[];
}

/** @throws Error when a source is wrong, or when esbuild is missing */
export async function pageOf(part: Part, isProduction: boolean): Promise<Page> {
  if (!existsSync(BUILT)) return (await bundledInMemory(part, isProduction)).page;
  return (JSON.parse(await readFile(join(BUILT, LIST), 'utf8')) as Record<Part, Page>)[part];
}

/** The content behind such a name never changes. */
const HASHED = /^[\w-]+-[A-Z0-9]{8}\.(?:js|css|svg|js\.map|css\.map)$/;

/** @returns the compressed content of a file; undefined when the parts have no file of this name */
export async function readAsset(name: string, parts: readonly Part[], isProduction: boolean): Promise<Buffer | undefined> {
  if (!HASHED.test(name)) return undefined;
  if (existsSync(BUILT)) return readFile(join(BUILT, `${name}.gz`)).catch(() => undefined);
  // A page that was opened before a restart loads its parts later.
  for (const part of parts) if (!filesInMemory.has(name)) await bundledInMemory(part, isProduction);
  return filesInMemory.get(name);
}

const latest = new Map<Part, { readonly output: Promise<Output>; readonly at: number }>();
/** Keeps earlier bundles: an open page may still load one of its parts. */
const filesInMemory = new Map<string, Buffer>();

/** One bundle for all servers of the process, made anew when a source has changed and this is not production. */
async function bundledInMemory(part: Part, isProduction: boolean): Promise<Output> {
  const known = latest.get(part);
  const made = await known?.output.catch(() => undefined);
  if (known && made && (isProduction || !hasChanged(made.inputs, known.at))) return made;
  if (latest.get(part) === known) latest.set(part, { output: bundle(part, isProduction), at: Date.now() });
  const output = (await latest.get(part)?.output) as Output;
  for (const [name, content] of output.files) filesInMemory.set(name, content);
  return output;
}

const hasChanged = (inputs: readonly string[], since: number): boolean =>
  inputs.some((file) => (statSync(join(PROJECT, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) > since);

/** @throws Error when a source is wrong, or when esbuild is missing */
export async function bundle(part: Part, isProduction: boolean): Promise<Output> {
  const { outputFiles, metafile } = await bundled({
    entryPoints: ENTRIES[part],
    outdir: BUILT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    minify: isProduction,
    sourcemap: !isProduction,
    loader: { '.svg': 'copy' },
    plugins: [scalar],
  });
  const files = outputFiles.map(async ({ path, contents }) => [basename(path), await promisify(gzip)(contents)] as const);
  const inputs = Object.keys(metafile.inputs).filter((file) => !file.startsWith('scalar:'));
  return { page: page(part, metafile), files: new Map(await Promise.all(files)), inputs };
}

/** Bundles pages. @throws Error when a source is wrong, or when esbuild is missing */
export async function bundled(options: BuildOptions): Promise<BuildResult<{ write: false; metafile: true }>> {
  const { build } = await import('esbuild').catch((error: { readonly code?: string }) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'Pages, reports and diagrams are bundled by development dependencies, which are missing: run "npm ci" without "--omit=dev".',
    );
  });
  return build({
    ...options,
    absWorkingDir: PROJECT,
    bundle: true,
    format: 'esm',
    // An image has no tsconfig.json.
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'esnext',
    legalComments: 'none',
    plugins: [evaluatedCatalogs, ...(options.plugins ?? [])],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
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

/** Copies the script of the references. */
const scalar: Plugin = {
  name: 'scalar',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^scalar\.txt$/ }, () => ({ path: 'scalar.js', namespace: 'scalar' }));
    onLoad({ filter: /./, namespace: 'scalar' }, async () => ({ loader: 'copy', contents: await scalarScript() }));
  },
};

function page(part: Part, { outputs }: Metafile): Page {
  const made = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const nameOf = (fits: (name: string, entry?: string) => boolean): string =>
    [...made].find(([name, { entryPoint }]) => fits(name, entryPoint))?.[0] ?? '';
  const script = nameOf((_, entry) => entry === ENTRIES[part][part]);
  const needed = new Set([script, nameOf((_, entry) => entry === LANDING)].filter((name) => name !== ''));
  for (const name of needed) {
    for (const { path, kind } of made.get(name)?.imports ?? []) if (kind === 'import-statement') needed.add(basename(path));
  }
  return {
    script,
    style: basename(made.get(script)?.cssBundle ?? ''),
    icon: nameOf((name) => name.endsWith('.svg')),
    preloads: [...needed],
    scalar: nameOf((name) => name.startsWith('scalar-')),
  };
}
