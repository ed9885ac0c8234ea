import { readConfiguration } from '../../estate/configuration.ts';
import { type RunningEstate, startEstate } from '../../estate/estate.ts';
import { createEstateClient, type EstateClient } from '../../rehearsal/estate-client.ts';
import { createLogger } from '../../shared/process/logger.ts';

export interface ObservedEstate extends AsyncDisposable {
  readonly running: RunningEstate;
  readonly client: EstateClient;
  /** Every line that was logged so far, as it was written. */
  readonly lines: readonly string[];
}

/** An estate in this process, of which everything is seen that it logs. */
export async function anObservedEstate(environment: Readonly<Record<string, string>> = {}, level = 'error'): Promise<ObservedEstate> {
  const lines: string[] = [];
  const log = createLogger(level, { write: (line) => void lines.push(line) });
  const ports = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
  const running = await startEstate(readConfiguration({ NODE_ENV: 'test', ...ports, ...environment }), log);
  await running.ready;
  const client = createEstateClient({
    gateway: running.gateway,
    bearer: 'demo-integration-token',
    apiKey: 'demo-carrier-key',
    admin: 'demo-control-token',
    rehearsal: 'default',
  });
  return {
    running,
    client,
    lines,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await running.close();
    },
  };
}

const ADDRESS = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

/** A whole order: basket, checkout, authorisation, confirmation. @returns its id */
export async function placeAnOrder(gateway: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${gateway}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer demo-integration-token', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const basket = await post('/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
  const { orderId } = await post(`/baskets/${basket['id']}/checkout`, { shippingAddress: ADDRESS, placeOrder: true });
  await post('/payments/authorizations', { tender: { type: 'card', token: 'tok_visa' }, orderId });
  await post(`/orders/${orderId}/confirm`, {});
  return String(orderId);
}
