import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { BuildOptions, BuildResult, Metafile, Plugin } from 'esbuild';
import { scalarScript } from './scalar.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
/** The files of the pages, in an image or the server package. A clone has none and bundles them when they are needed. */
export const BUILT = fileURLToPath(new URL('../ui/built/', import.meta.url));

/** The entries of each page, with its script under its name. A page waits for its own bundle only. The quickest is first. */
const ENTRIES = {
  touchpoint: { touchpoint: 'ui/touchpoint.tsx', icon: 'ui/touchpoint/icon.svg' },
  console: { console: 'ui/console.tsx', icon: 'ui/kit/icon.svg' },
  reference: { reference: 'ui/reference/scalar-page.ts', scalar: 'scalar.txt', icon: 'ui/kit/icon.svg' },
  story: { story: 'ui/report/story.tsx' },
};
export type Page = keyof typeof ENTRIES;
const PAGES = Object.keys(ENTRIES) as Page[];

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
  const bundles = await Promise.all(PAGES.map((page) => bundle(page, true)));
  for (const [name, content] of bundles.flatMap(({ files }) => [...files])) await writeFile(join(folder, `${name}.gz`), content);
  return [...bundles.flatMap(({ inputs }) => inputs), 'node_modules/@scalar/fastify-api-reference/package.json'];
}

/** The content behind such a name never changes. */
const HASHED = /^[\w-]+-[A-Z0-9]{8}\.(?:js|css|svg)(?:\.map)?$/;

/** The compressed content of a file with a hash in its name; undefined when no page has it. */
export const readAsset = async (name: string, isProduction: boolean): Promise<Buffer | undefined> =>
  // A page that was opened before a restart loads its parts later.
  HASHED.test(name) ? readPacked(name, inMemory.has(name) ? [] : PAGES, isProduction) : undefined;

/** The compressed HTML of a page. @throws Error when a source is wrong, or when esbuild is missing */
export const readPage = (page: Page, isProduction: boolean): Promise<Buffer | undefined> =>
  readPacked(`${page}.html`, [page], isProduction);

async function readPacked(name: string, pages: readonly Page[], isProduction: boolean): Promise<Buffer | undefined> {
  if (existsSync(BUILT)) return readFile(join(BUILT, `${name}.gz`)).catch(() => undefined);
  for (const page of pages) await bundleInMemory(page, isProduction);
  return inMemory.get(name);
}

const latest = new Map<Page, { readonly made: Promise<Bundle>; readonly at: number }>();
/** Keeps earlier bundles: an open page may still load one of its parts. */
const inMemory = new Map<string, Buffer>();

/** One bundle for all servers of the process, made anew when a source has changed and this is not production. */
async function bundleInMemory(page: Page, isProduction: boolean): Promise<void> {
  const known = latest.get(page);
  const earlier = await known?.made.catch(() => undefined);
  if (known && earlier && (isProduction || !hasChanged(earlier.inputs, known.at))) return;
  if (latest.get(page) === known) latest.set(page, { made: bundle(page, isProduction), at: Date.now() });
  for (const [name, content] of (await latest.get(page)?.made)?.files ?? []) inMemory.set(name, content);
}

const hasChanged = (inputs: readonly string[], since: number): boolean =>
  inputs.some((file) => (statSync(join(PROJECT, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) > since);

async function bundle(page: Page, isProduction: boolean): Promise<Bundle> {
  if (page === 'story') return bundledStory();
  const { outputFiles, metafile } = await bundled({
    entryPoints: ENTRIES[page],
    outdir: BUILT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    minify: isProduction,
    sourcemap: !isProduction,
    loader: { '.svg': 'copy' },
    plugins: [scalar],
  });
  const template = `ui/${page}.html`;
  const outputs = outputFiles
    .map(({ path, contents }) => [basename(path), contents] as const)
    // The sheet of the page has the sheets of its parts too.
    .filter(([name]) => !name.includes('.css') || name.startsWith(page));
  const html = withLinks(await readFile(join(PROJECT, template), 'utf8'), page, metafile);
  const files = [[`${page}.html`, html] as const, ...outputs].map(
    async ([name, content]) => [name, await promisify(gzip)(content)] as const,
  );
  const inputs = Object.keys(metafile.inputs).filter((file) => !file.startsWith('scalar:'));
  return { files: new Map(await Promise.all(files)), inputs: [...inputs, template] };
}

/** The page that a story is saved in: one file, which needs no other. */
async function bundledStory(): Promise<Bundle> {
  const { outputFiles, metafile } = await bundled({ entryPoints: ENTRIES.story, outdir: BUILT, minify: true, charset: 'utf8' });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
  // A gateway needs it only when somebody saves a story.
  const { emptyStoryPage } = await import('../ui/report/story-page.ts');
  const html = emptyStoryPage({ script: textOf('.js'), styles: textOf('.css') }, hashOf);
  return { files: new Map([['story.html', await promisify(gzip)(html)]]), inputs: Object.keys(metafile.inputs) };
}

/** Puts the files of a page into the head of its HTML, below the address that the template names. */
function withLinks(template: string, page: Page, { outputs }: Metafile): string {
  const made = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const named = (name: string, ending: string): string[] =>
    [...made.keys()].filter((one) => one.startsWith(`${name}-`) && one.endsWith(ending));
  const scripts = named(page, '.js');
  // Most visits of the console begin with the overview.
  const needed = new Set([...scripts, ...named('overview', '.js')]);
  for (const name of needed) {
    for (const { path, kind } of made.get(name)?.imports ?? []) if (kind === 'import-statement') needed.add(basename(path));
  }
  return template.replace(/<!-- files: (.*) -->/, (_, base: string) =>
    [
      ...named('icon', '.svg').map((name) => `<link rel="icon" href="${base}${name}" type="image/svg+xml">`),
      ...named(page, '.css').map((name) => `<link rel="stylesheet" href="${base}${name}">`),
      ...[...needed].map((name) => `<link rel="modulepreload" href="${base}${name}">`),
      ...named('scalar', '.js').map((name) => `<script defer src="${base}${name}"></script>`),
      ...scripts.map((name) => `<script type="module" src="${base}${name}"></script>`),
    ].join('\n'),
  );
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
