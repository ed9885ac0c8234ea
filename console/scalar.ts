import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { bundleOf } from './scalar-bundle.ts';

/** The image keeps nothing of the package but this file, which its build writes. */
const PACKED = 'standalone.js.gz';

/** The one script of the references, compressed: 1.4 MB. Read when the first of them is opened. */
export async function readScalar(): Promise<Buffer> {
  const entry = import.meta.resolve('@scalar/fastify-api-reference');
  try {
    return await readFile(new URL(PACKED, entry));
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
  }
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  return promisify(gzip)(bundleOf(plugin));
}

/** Answers with the script. The first request reads it; later ones share it. */
export function scalarAnswer(): (request: Request, response: Response) => Promise<void> {
  let reading: Promise<Buffer> | undefined;
  return async (request, response) => {
    reading ??= readScalar();
    const packed = await reading.catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    const plain = request.acceptsEncodings('gzip') === false;
    const hash = createHash('sha256').update(packed).digest('base64url').slice(0, 22);
    response.set({ ETag: `"${hash}${plain ? '' : '-gzip'}"`, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' });
    if (request.fresh) return void response.status(304).end();
    if (!plain) response.set('Content-Encoding', 'gzip');
    response.type('text/javascript').send(plain ? await promisify(gunzip)(packed) : packed);
  };
}
