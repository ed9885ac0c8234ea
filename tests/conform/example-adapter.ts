import type { Server } from 'node:http';
import { serving } from './serving.ts';

type Create<Made> = (settings: object) => Made;

/** The adapter of the example, in front of its small provider. @param estateUrl the gateway that it calls back */
export async function startAdapter(estateUrl = 'http://127.0.0.1:1') {
  const example = (file: string) => import(new URL(`../../examples/payment-hub-adapter/${file}`, import.meta.url).href);
  const { createAdapter }: { createAdapter: Create<Server> } = await example('adapter.mjs');
  const { createProvider }: { createProvider: Create<{ server: Server }> } = await example('provider.mjs');
  const provider = await serving(createProvider({}).server);
  const adapter = await serving(createAdapter({ PROVIDER_URL: provider.url, ESTATE_URL: estateUrl }));
  return {
    url: adapter.url,
    async [Symbol.asyncDispose](): Promise<void> {
      await adapter[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
