import { execFileSync } from 'node:child_process';
import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { engines } from './manifests.ts';

export const PROJECT = fileURLToPath(new URL('../', import.meta.url));
export const DIST = join(PROJECT, 'dist');

/** Types are only checked by `npm run check`, not here. */
export function compile(configuration: string): void {
  const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace('package.json', 'bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(PROJECT, 'package', configuration), '--noCheck'], { cwd: PROJECT, stdio: 'inherit' });
}

/** Copies files of the project to the same places in a package. */
export async function copyTo(folder: string, patterns: readonly string[]): Promise<void> {
  for await (const file of glob(patterns, { cwd: PROJECT })) await put(join(folder, file), join(PROJECT, file));
}

async function put(to: string, from: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}

export async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

interface Bundle {
  readonly entry: string;
  readonly to: string;
  readonly format: 'cjs' | 'esm';
  readonly plugins?: readonly Plugin[];
  /** Packages that the user installs. */
  readonly external?: readonly string[];
}

const CREATE_REQUIRE =
  "import { createRequire as createRequireOfBundle } from 'node:module';\nconst require = createRequireOfBundle(import.meta.url);";

/** Bundles a module with its imports. @returns the list of bundled files */
export async function bundle({ entry, to, format, plugins = [], external = [] }: Bundle): Promise<Metafile> {
  const { metafile, warnings } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [entry],
    outfile: to,
    bundle: true,
    platform: 'node',
    target: `node${engines.node.replace('>=', '')}`,
    format,
    // Bundled CommonJS packages call `require`.
    banner: { js: format === 'esm' ? CREATE_REQUIRE : '' },
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    legalComments: 'none',
    external: [...external],
    plugins: format === 'esm' ? [...plugins, placesOfModules] : [...plugins],
    metafile: true,
    logLevel: 'warning',
  });
  if (warnings.length > 0) throw new Error(`${entry} cannot be bundled without warnings.`);
  return metafile;
}

/** Modules find files by `import.meta.url`. The package keeps the folders of the project, so the original paths stay valid. */
const placesOfModules: Plugin = {
  name: 'places-of-modules',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const place = JSON.stringify(`./${relative(PROJECT, path)}`);
      const text = await readFile(path, 'utf8');
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`) };
    });
  },
};

/** The licence texts of the packages that have these bundled files. */
export async function licencesOf(files: readonly string[]): Promise<string> {
  const folders = new Set(files.flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...folders].toSorted().map(async (folder) => {
    const name = folder.replace('node_modules/', '');
    const found = await Promise.any(
      ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license'].map((file) => readFile(join(PROJECT, folder, file), 'utf8')),
    );
    return `${name}\n\n${found.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
