import { readdir, readFile } from 'node:fs/promises';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { copiedFixtures } from './folder.ts';

/** The text of JSON with every amount in another currency; the amounts stay the same. */
export const inCurrency = (json: string, currency: string): string =>
  json.replaceAll(/("currency":\s*)"EUR"/g, (_, member: string) => `${member}"${currency}"`);

/** An estate with the project's fixtures, but with the figures of another retailer, and all its amounts in the currency of that retailer. */
export async function startRetailer({ currency = 'EUR', ...figures }: { readonly currency?: string; readonly [figure: string]: unknown }) {
  const folder = await copiedFixtures();
  for (const name of (await readdir(folder.path)).filter((file) => file.endsWith('.json')))
    await folder.write(name, inCurrency(await readFile(folder.at(name), 'utf8'), currency));
  await folder.write('retailer.json', { currency, ...figures });
  const estate = await anObservedEstate({ FIXTURES_DIR: folder.path });
  return {
    gateway: estate.running.gateway,
    async [Symbol.asyncDispose]() {
      await estate[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}
