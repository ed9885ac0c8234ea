import type { Server } from 'node:http';
import { serving } from './serving.ts';

const EXAMPLE = new URL('../../examples/payment-hub-adapter/', import.meta.url);
const WEBHOOK_SECRET = 'secret of the webhooks';

/** The adapter of the example, in front of its small provider. @param estateUrl the gateway that it calls back */
export async function startAdapter(estateUrl = 'http://127.0.0.1:1') {
  const { createAdapter } = (await import(new URL('adapter.mjs', EXAMPLE).href)) as { createAdapter: (settings: object) => Server };
  const { createProvider } = (await import(new URL('provider.mjs', EXAMPLE).href)) as {
    createProvider: (settings: object) => { server: Server; expire: (id: string) => Promise<number> };
  };
  let url = '';
  const { server, expire } = createProvider({ webhookUrl: () => `${url}/webhook`, webhookSecret: WEBHOOK_SECRET });
  const provider = await serving(server);
  const adapter = createAdapter({
    providerUrl: provider.url,
    providerKey: 'key',
    webhookSecret: WEBHOOK_SECRET,
    estateUrl,
    estateToken: 'demo-control-token',
  });
  const served = await serving(adapter);
  url = served.url;
  return {
    url,
    /** The provider cancels an authorisation. @returns the status of its webhook */
    expire,
    async [Symbol.asyncDispose](): Promise<void> {
      await served[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
