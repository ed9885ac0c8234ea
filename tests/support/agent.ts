import { Client, type ClientOptions, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { Agent as Connections } from 'undici';
import { createAgentEndpoint } from '../../agents/http.ts';
import { serving } from '../conform/serving.ts';
import { ADMIN } from './open-rehearsal.ts';
import { ADDRESS } from './steps/order.ts';

export interface ToolAnswer {
  readonly isMistake: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the members of an answer differ by tool
  readonly facts: any;
}

/** A connection to `/mcp` of a gateway, with the control token. */
export const overHttp = (gateway: string): Transport =>
  new StreamableHTTPClientTransport(new URL('/mcp', gateway), { requestInit: { headers: { authorization: `Bearer ${ADMIN}` } } });

/** The endpoint of agents in this process, which calls a gateway. Its connections choose the name of their credential. */
export async function agentEndpoint(gateway: string) {
  const agent = new Connections();
  const access = { gateway, bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', agent };
  const answer = createAgentEndpoint({ ...access, version: '1.0.0', pepper: 'pepper', onError: () => {} });
  const server = await serving(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    await answer({ request, body, principal: String(request.headers['x-principal']), key: ADMIN }, response);
  });
  return {
    url: server.url,
    as: (principal: string): Transport =>
      new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit: { headers: { 'x-principal': principal } } }),
    async [Symbol.asyncDispose](): Promise<void> {
      await server[Symbol.asyncDispose]();
      await agent.close();
    },
  };
}

/** An agent with the official client of the protocol. Its tools answer JSON. */
export async function anAgent(transport: Transport, options: ClientOptions = {}) {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  await client.connect(transport);
  async function tool(name: string, input: object = {}): Promise<ToolAnswer> {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...input } });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '';
    return { isMistake: isError, text, facts: text.startsWith('{') ? JSON.parse(text) : {} };
  }
  return {
    client,
    tool,
    /** Calls that must succeed. @returns the body of the answer */
    call: async (world: string, id: string, input: object = {}) => {
      const { facts, text } = await tool('call', { world, id, ...input });
      if (!(facts.status < 300)) throw new Error(`${id}: ${text}`);
      return facts.body;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export type Agent = Awaited<ReturnType<typeof anAgent>>;

/** A confirmed order of two mugs, made with tools alone. */
export async function orderedBy({ call }: Agent, world: string) {
  const { id } = await call(world, 'create-basket-api', {
    body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] },
  });
  await call(world, 'checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS } });
  const order = await call(world, 'create-order-api', { body: { basketId: id } });
  await call(world, 'authorize-payment-api', { body: { orderId: order.id, tender: { type: 'card', token: 'tok_visa' } } });
  return call(world, 'confirm-order-api', { params: { id: order.id } });
}
