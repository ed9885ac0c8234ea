import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const EXAMPLE = new URL('../../examples/payment-hub-adapter/', import.meta.url);
const WEBHOOK_SECRET = 'secret of the webhooks';

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The adapter of the example, in front of its small provider. @param estateUrl the gateway that it calls back */
export async function startAdapter(estateUrl = 'http://127.0.0.1:1') {
  const { createAdapter } = (await import(new URL('adapter.mjs', EXAMPLE).href)) as { createAdapter: (settings: object) => Server };
  const { createProvider } = (await import(new URL('provider.mjs', EXAMPLE).href)) as {
    createProvider: (settings: object) => { server: Server; expire: (id: string) => Promise<number> };
  };
  let url = '';
  const { server, expire } = createProvider({ webhookUrl: () => `${url}/webhook`, webhookSecret: WEBHOOK_SECRET });
  const providerUrl = await listening(server);
  const adapter = createAdapter({
    providerUrl,
    providerKey: 'key',
    webhookSecret: WEBHOOK_SECRET,
    estateUrl,
    estateToken: 'demo-control-token',
  });
  url = await listening(adapter);
  return {
    url,
    providerUrl,
    /** The provider cancels an authorisation. @returns the status of its webhook */
    expire,
    async [Symbol.asyncDispose]() {
      for (const one of [adapter, server]) {
        one.closeAllConnections();
        one.close();
        await once(one, 'close');
      }
    },
  };
}
