import { request } from 'undici';
import { estate } from '../support/estate.ts';

/** A request to the gateway. It sends its own `Accept-Encoding`, because `fetch` sets the header and decodes the answer itself. */
export async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const { statusCode: status, headers: answered, body } = await request(new URL(path, estate.gateway), { method, headers });
  return { status, headers: answered, body: Buffer.from(await body.arrayBuffer()) };
}

export const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
