import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BUILT, bundled } from './bundle.ts';

/** The modules of `ui/report`, which the command line loads. */
export const DRAWINGS = ['report', 'harden-report', 'journal-diagram', 'story'] as const;
export type DrawingName = (typeof DRAWINGS)[number];

/** Bundles drawings, because Node cannot load TSX. @throws Error when esbuild is missing */
const bundledDrawings = (names: readonly DrawingName[]) =>
  bundled({
    entryPoints: names.map((name) => `ui/report/${name}.tsx`),
    outdir: 'ui/built',
    outExtension: { '.js': '.mjs' },
    minifyWhitespace: true,
    charset: 'utf8',
  });

/** A drawing, and its sheet. */
export async function bundleDrawing(name: DrawingName): Promise<{ readonly script: string; readonly styles: string }> {
  const { outputFiles } = await bundledDrawings([name]);
  const textOf = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOf('.mjs'), styles: textOf('.css') };
}

/** Writes the drawings, for an image or a package. @returns their sources */
export async function buildDrawings(folder = BUILT): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const { outputFiles, metafile } = await bundledDrawings(DRAWINGS);
  for (const { path, contents } of outputFiles) await writeFile(join(folder, basename(path)), contents);
  return Object.keys(metafile.inputs);
}
