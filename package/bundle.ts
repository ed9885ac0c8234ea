import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { engines } from './manifests.ts';
import { PROJECT } from './project.ts';

interface Bundle {
  readonly entry: string;
  readonly to: string;
  readonly format: 'cjs' | 'esm';
  readonly plugins?: readonly Plugin[];
  /** Packages that the user brings. */
  readonly external?: readonly string[];
}

/** Puts a module with all that it imports into one file. @returns what went into it */
export async function bundle({ entry, to, format, plugins = [], external = [] }: Bundle): Promise<Metafile> {
  const { metafile, warnings } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [entry],
    outfile: to,
    bundle: true,
    platform: 'node',
    target: `node${engines.node.replace('>=', '')}`,
    format,
    // Bundled packages of the older kind call `require`.
    ...(format === 'esm' && {
      banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    }),
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    legalComments: 'none',
    external: [...external],
    plugins: [...plugins, ...(format === 'esm' ? [placesOfModules] : [])],
    metafile: true,
    logLevel: 'warning',
  });
  if (warnings.length > 0) throw new Error(`${entry} cannot be bundled without warnings.`);
  return metafile;
}

/** A module of ours finds files relative to its own place: the package has them in the same places as the project. */
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

/** The texts of the licences of all bundled packages. */
export async function licencesOf(metafiles: readonly Metafile[]): Promise<string> {
  const files = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
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
