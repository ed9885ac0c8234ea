import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { BuildOptions, BuildResult, Metafile, Plugin } from 'esbuild';
import { htmlOf, type Page } from './html.ts';
import { scalarScript } from './scalar.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
/** The files of the pages, in an image or the server package. A clone has none and bundles them when they are needed. */
export const BUILT = fileURLToPath(new URL('../ui/built/', import.meta.url));

/** The entries of each bundle, with its script under its name. A page waits for its own bundle only. The quickest is first. */
const ENTRIES = {
  portal: { portal: 'ui/portal.tsx', icon: 'ui/touchpoint/icon.svg' },
  console: { console: 'ui/console.tsx', icon: 'ui/kit/icon.svg' },
  reference: { reference: 'ui/reference/scalar-page.ts', scalar: 'scalar.txt', icon: 'ui/kit/icon.svg' },
};
export type Part = keyof typeof ENTRIES;
/** Most visits begin with this page. */
const LANDING = 'ui/overview/overview.tsx';

interface Bundle {
  /** By name, compressed. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Paths of the sources. */
  readonly inputs: readonly string[];
}

/** Writes the files of the pages, for an image or the server package. @returns their sources */
export async function buildPages(folder = BUILT): Promise<readonly string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const bundles = await Promise.all(Object.keys(ENTRIES).map((part) => bundle(part as Part, true)));
  for (const [name, content] of bundles.flatMap(({ files }) => [...files])) await writeFile(join(folder, `${name}.gz`), content);
  return [...bundles.flatMap(({ inputs }) => inputs), 'node_modules/@scalar/fastify-api-reference/package.json'];
}

/** The content behind such a name never changes. */
const HASHED = /^[\w-]+-[A-Z0-9]{8}\.(?:js|css|svg)(?:\.map)?$/;

/** The compressed content of a file with a hash in its name; undefined when no page has it. */
export async function readAsset(name: string, isProduction: boolean): Promise<Buffer | undefined> {
  if (!HASHED.test(name)) return undefined;
  if (existsSync(BUILT)) return readFile(join(BUILT, `${name}.gz`)).catch(() => undefined);
  // A page that was opened before a restart loads its parts later.
  for (const part of Object.keys(ENTRIES) as Part[]) if (!inMemory.has(name)) await bundledInMemory(part, isProduction);
  return inMemory.get(name);
}

/** The compressed HTML of a page. @throws Error when a source is wrong, or when esbuild is missing */
export const readPage = async (name: string, part: Part, isProduction: boolean): Promise<Buffer | undefined> =>
  existsSync(BUILT) ? readFile(join(BUILT, `${name}.html.gz`)) : (await bundledInMemory(part, isProduction)).files.get(`${name}.html`);

const latest = new Map<Part, { readonly made: Promise<Bundle>; readonly at: number }>();
/** Keeps earlier bundles: an open page may still load one of its parts. */
const inMemory = new Map<string, Buffer>();

/** One bundle for all servers of the process, made anew when a source has changed and this is not production. */
async function bundledInMemory(part: Part, isProduction: boolean): Promise<Bundle> {
  const known = latest.get(part);
  const earlier = await known?.made.catch(() => undefined);
  if (known && earlier && (isProduction || !hasChanged(earlier.inputs, known.at))) return earlier;
  if (latest.get(part) === known) latest.set(part, { made: bundle(part, isProduction), at: Date.now() });
  const made = (await latest.get(part)?.made) as Bundle;
  for (const [name, content] of made.files) inMemory.set(name, content);
  return made;
}

const hasChanged = (inputs: readonly string[], since: number): boolean =>
  inputs.some((file) => (statSync(join(PROJECT, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) > since);

async function bundle(part: Part, isProduction: boolean): Promise<Bundle> {
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
  const page = pageOf(part, metafile);
  const html = Object.entries(htmlOf[part](page)).map(([name, text]) => [`${name}.html`, text] as const);
  const outputs = outputFiles
    .map(({ path, contents }) => [basename(path), contents] as const)
    // The sheet of the page has the sheets of its parts too.
    .filter(([name]) => !name.includes('.css') || name.startsWith(page.style));
  const files = [...html, ...outputs].map(async ([name, content]) => [name, await promisify(gzip)(content)] as const);
  const inputs = Object.keys(metafile.inputs).filter((file) => !file.startsWith('scalar:'));
  return { files: new Map(await Promise.all(files)), inputs };
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

function pageOf(part: Part, { outputs }: Metafile): Page {
  const made = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const nameOf = (entry: string): string => [...made].find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? '';
  const script = nameOf((ENTRIES[part] as Record<string, string>)[part] ?? '');
  const needed = new Set([script, nameOf(LANDING)].filter((name) => name !== ''));
  for (const name of needed) {
    for (const { path, kind } of made.get(name)?.imports ?? []) if (kind === 'import-statement') needed.add(basename(path));
  }
  const named = (start: string): string => [...made.keys()].find((name) => name.startsWith(start)) ?? '';
  return {
    script,
    style: basename(made.get(script)?.cssBundle ?? ''),
    icon: named('icon-'),
    preloads: [...needed],
    scalar: named('scalar-'),
  };
}
