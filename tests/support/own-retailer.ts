import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anObservedEstate } from '../observability/observed-estate.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));

/** The text of JSON with every amount in another currency; the amounts stay the same. */
export const inCurrency = (json: string, currency: string): string =>
  json.replaceAll(/("currency":\s*)"EUR"/g, (_, member: string) => `${member}"${currency}"`);

/** An estate with the project's fixtures, but with the figures of another retailer, and all its amounts in the currency of that retailer. */
export async function startRetailer({ currency = 'EUR', ...figures }: { readonly currency?: string; readonly [figure: string]: unknown }) {
  const directory = await mkdtemp(join(tmpdir(), 'retailer-'));
  await cp(FIXTURES, directory, { recursive: true });
  for (const name of (await readdir(directory)).filter((file) => file.endsWith('.json'))) {
    const file = join(directory, name);
    await writeFile(file, inCurrency(await readFile(file, 'utf8'), currency));
  }
  await writeFile(join(directory, 'retailer.json'), JSON.stringify({ currency, ...figures }));
  const estate = await anObservedEstate({ FIXTURES_DIR: directory });
  return {
    gateway: estate.running.gateway,
    async [Symbol.asyncDispose]() {
      await estate[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}
