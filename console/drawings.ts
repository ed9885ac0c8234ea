import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILT, bundled } from './bundle.ts';

/** The modules of `ui/report`, which the command line loads. */
export const DRAWINGS = ['report', 'journal-diagram'] as const;
export type DrawingName = (typeof DRAWINGS)[number];

/** Bundles a drawing, because Node cannot load TSX. @throws Error when esbuild is missing */
export async function bundleDrawing(
  name: DrawingName,
): Promise<{ readonly script: string; readonly styles: string; readonly inputs: readonly string[] }> {
  const { outputFiles, metafile } = await bundled({
    entryPoints: [`ui/report/${name}.tsx`],
    outdir: 'ui/built',
    minifyWhitespace: true,
    charset: 'utf8',
  });
  const textOf = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), styles: textOf('.css'), inputs: Object.keys(metafile.inputs) };
}

/** Writes the drawings, for an image or a package. @returns their sources */
export async function buildDrawings(folder = BUILT): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const inputs = await Promise.all(
    DRAWINGS.map(async (name) => {
      const { script, styles, inputs: sources } = await bundleDrawing(name);
      await writeFile(join(folder, `${name}.mjs`), script);
      await writeFile(join(folder, `${name}.css`), styles);
      return sources;
    }),
  );
  return inputs.flat();
}
