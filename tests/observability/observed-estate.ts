import { readConfiguration } from '../../estate/configuration.ts';
import { startEstate } from '../../estate/estate.ts';
import { callOfApi, createEstateClient, type EstateClient } from '../../rehearsal/estate-client.ts';
import type { ApiId } from '../../shared/catalog/apis.ts';
import { createLogger } from '../../shared/process/logger.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { ADMIN } from '../support/open-rehearsal.ts';
import { plain } from '../support/plain-client.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { card } from '../support/steps/tender.ts';

/** A client with the public credentials, for the rehearsal "default" unless a header or a bearer names another. */
export const clientOf = (gateway: string, rehearsal?: string): EstateClient =>
  createEstateClient({ gateway, bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN, rehearsal });

/** An estate in this process whose log is captured. @param adapter its store, instead of a new one in memory */
export async function anObservedEstate(environment: Readonly<Record<string, string>> = {}, level = 'error', adapter?: StoreAdapter) {
  const lines: string[] = [];
  const log = createLogger(level, { write: (line) => void lines.push(line) });
  const ports = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
  const running = await startEstate(readConfiguration({ NODE_ENV: 'test', ...ports, ...environment }), log, adapter);
  await running.ready;
  const client = clientOf(running.gateway);
  const close = async () => {
    await client.close();
    await running.close();
  };
  return { running, client, lines: lines as readonly string[], [Symbol.asyncDispose]: close };
}

export type ObservedEstate = Awaited<ReturnType<typeof anObservedEstate>>;

/** A confirmed order of Ada. @param headers of every request. @returns its id */
export async function placeAnOrder(gateway: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  await using client = plain(clientOf(gateway));
  const send = async (id: ApiId, input: Parameters<typeof callOfApi>[1]) => {
    const { method, path, body } = callOfApi(id, input);
    const reply = await client.call(method, path, body, { headers });
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const lines = [{ sku: 'mug-blue', qty: 2 }];
  const { id } = await send('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines } });
  const { orderId } = await send('checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS, placeOrder: true } });
  await send('authorize-payment-api', { body: { tender: card(), orderId } });
  await send('confirm-order-api', { params: { id: orderId } });
  return orderId;
}
