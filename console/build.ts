import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILT, bundle, LIST, PARTS } from './bundle.ts';

/** Writes the compressed files of the pages, for an image or the server package. @returns their sources */
export async function buildPages(folder = BUILT): Promise<readonly string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const parts = await Promise.all(PARTS.map((part) => bundle(part, true)));
  for (const [name, content] of parts.flatMap(({ files }) => [...files])) await writeFile(join(folder, `${name}.gz`), content);
  await writeFile(join(folder, LIST), JSON.stringify(Object.fromEntries(PARTS.map((part, index) => [part, parts[index]?.page]))));
  return [...parts.flatMap(({ inputs }) => inputs), 'node_modules/@scalar/fastify-api-reference/package.json'];
}
