import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { BUILT, type Built, bundle, LIST } from './bundle.ts';
import { scalarScript } from './scalar.ts';

/** Nearly the smallest size; the next level takes ten times as long. */
const SMALL = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Writes the files of the pages, compressed, for an image or the server package. @returns their sources */
export async function buildPages(folder = BUILT): Promise<readonly string[]> {
  const { pages, files, inputs } = await bundle(true);
  const script = Buffer.from(await scalarScript());
  const scalar = `scalar-${createHash('sha256').update(script).digest('hex').slice(0, 8).toUpperCase()}.js`;
  const all = new Map([...files, [scalar, script]]);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of all) {
    await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
    await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(content, SMALL));
  }
  const built: Built = { pages: { ...pages, reference: { ...pages.reference, scalar } }, names: [...all.keys()] };
  await writeFile(join(folder, LIST), JSON.stringify(built));
  return [...inputs, 'node_modules/@scalar/fastify-api-reference/package.json'];
}
