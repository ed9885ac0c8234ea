import createClient from 'openapi-fetch';
import { createClient as createHeyClient } from './hey-api/estate/client';
import { createBasketApi as createBasketByHey, getProductApi as getProductByHey } from './hey-api/estate/sdk.gen';
import { Configuration, ECommercePlatformApi } from './openapi-generator/estate';
import type { paths } from './openapi-typescript/estate';
import { createBasketApi as createBasketByOrval } from './orval/estate';
import { CreateBasketApiBody, GetProductApiResponse } from './orval/estate.zod';

const baseUrl = process.env['ESTATE_URL'] ?? '';
const authorization = `Bearer ${process.env['ESTATE_BEARER_TOKEN']}`;
const body = CreateBasketApiBody.parse({ channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] });

/** The calls of orval's client have relative addresses. */
const { fetch } = globalThis;
globalThis.fetch = (address, options) =>
  fetch(typeof address === 'string' && address.startsWith('/') ? `${baseUrl}${address}` : address, options);

const print = (...words: readonly unknown[]): void => void process.stdout.write(`${words.join(' ')}\n`);

async function main(): Promise<void> {
  const byOrval = await createBasketByOrval(body, { headers: { authorization } });
  print('orval', byOrval.status === 201 && byOrval.data.state);

  const hey = createHeyClient({ baseUrl, headers: { authorization } });
  const byHey = await createBasketByHey({ client: hey, body });
  print('hey-api', byHey.data?.state);
  const product = await getProductByHey({ client: hey, path: { id: 'mug-blue' } });
  print('zod', GetProductApiResponse.parse(product.data).sku);
  const absent = await getProductByHey({ client: hey, path: { id: 'no-such-thing' } });
  print('hey-api', absent.error?.code);

  const client = createClient<paths>({ baseUrl, headers: { authorization } });
  const byFetch = await client.POST('/baskets', { body });
  print('openapi-fetch', byFetch.data?.state);

  const api = new ECommercePlatformApi(new Configuration({ basePath: baseUrl, accessToken: process.env['ESTATE_BEARER_TOKEN'] ?? '' }));
  print(
    'openapi-generator',
    (await api.createBasketApi({ createBasketApiRequest: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } })).state,
  );
}

void main();
