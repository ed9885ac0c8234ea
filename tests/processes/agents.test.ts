import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serving } from '../conform/serving.ts';
import { agentEndpoint, anAgent, orderedBy, overHttp } from '../support/agent.ts';
import { MAIN } from '../support/command.ts';
import { ADMIN, estate, eventually } from '../support/estate.ts';
import { scratchFolder } from './command-line/scratch.ts';

const headers = { authorization: `Bearer ${ADMIN}` };
const atTheGateway = () => overHttp(estate.gateway);
const overStdio = (against = estate.gateway) =>
  new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', '--against', against], stderr: 'pipe' });

test.each([
  ['HTTP, revision of 2025', atTheGateway, 'legacy'],
  ['HTTP, revision of 2026', atTheGateway, 'auto'],
  ['stdio, revision of 2025', overStdio, 'legacy'],
  ['stdio, revision of 2026', overStdio, 'auto'],
] as const)('An agent over %s finds out why an order is not delivered, and proves the fix', async (_what, connect, mode) => {
  await using agent = await anAgent(connect(), { versionNegotiation: { mode } });
  const { world } = (await agent.tool('open_world', {})).facts;
  await agent.tool('break', { world, preset: 'carrier-webhooks-lost' });
  const { id } = await orderedBy(agent, world);
  const delivered = { world, object: { type: 'order', id, state: 'completed' } };

  // The customer complains after three days.
  await agent.tool('advance', { world, by: 'P3D' });
  const missing = await agent.tool('wait', { ...delivered, timeoutMs: 0 });
  expect(missing.facts).toMatchObject({ found: false, state: 'in-fulfilment', settled: true });
  const { waiting } = (await agent.tool('verify', { world })).facts;
  expect(waiting).toEqual([expect.stringContaining(`order/${id}: the carrier`)]);
  const why = (await agent.tool('explain', { world, id })).facts;
  const troubles = why.waitsFor.flatMap((one: { reasons: string[] }) => one.reasons.filter((text) => text.startsWith('trouble')));
  expect(troubles).toEqual([expect.stringContaining('The fault carrier-webhooks-lost withholds it')]);
  expect(why.next).toContain('mend {"name": "carrier-webhooks-lost"}');

  // The answers name the cause and the remedy: a fault withholds the scans, although the parcel is at the door.
  const { items } = await agent.call(world, 'list-related-objects', { params: { type: 'order', id } });
  const parcel = items.find(({ type }: { type: string }) => type === 'shipment');
  expect(await agent.call(world, 'track-shipment-api', { params: { id: parcel.id } })).toMatchObject({ state: 'delivered' });
  const faults = new Set(missing.facts.withheld.map(({ fault }: { fault: string }) => fault));
  expect([...faults]).toEqual(['carrier-webhooks-lost']);
  expect(missing.facts.next).toContain('mend');

  await agent.tool('mend', { world, name: 'carrier-webhooks-lost' });
  expect((await agent.tool('wait', delivered)).facts).toMatchObject({ found: true, object: { id, state: 'completed' } });
  expect((await agent.tool('verify', { world })).facts).toMatchObject({ holds: true, broken: [], waiting: [] });
  expect((await agent.tool('close', { world })).isMistake).toBe(false);
});

/** A proxy in front of the gateway. It counts the requests at a path that are open, and those that their client has left. */
async function watchedGateway() {
  const [arrived, ended, left]: string[][] = [[], [], []];
  const server = await serving((incoming, outgoing) => {
    const { method, headers, url: path = '' } = incoming;
    arrived?.push(path);
    const forwarded = request(new URL(path, estate.gateway), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    }).on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
    outgoing.once('close', () => {
      (outgoing.writableFinished ? ended : left)?.push(path);
      forwarded.destroy();
    });
  });
  const count = (paths: readonly string[] = [], path: string): number => paths.filter((one) => one === path).length;
  return {
    ...server,
    left: (path: string) => count(left, path),
    open: (path: string) => count(arrived, path) - count(ended, path) - count(left, path),
  };
}

test.each([
  ['HTTP, revision of 2025', 'http', 'legacy'],
  ['HTTP, revision of 2026', 'http', 'auto'],
  ['stdio, revision of 2025', 'stdio', 'legacy'],
  ['stdio, revision of 2026', 'stdio', 'auto'],
] as const)('An agent over %s that cancels a wait or a slow call ends it on the estate, and nobody else’s', async (_what, over, mode) => {
  await using gateway = await watchedGateway();
  await using endpoint = await agentEndpoint(gateway.url);
  const connect = () => (over === 'http' ? endpoint.as('ann') : overStdio(gateway.url));
  await using agent = await anAgent(connect(), { versionNegotiation: { mode } });
  await using other = await anAgent(connect(), { versionNegotiation: { mode } });
  const slow = { name: 'slow', rule: { match: { api: 'create-basket-api' }, fault: { kind: 'latency', ms: 10_000 } } };
  const begin = async ({ client, tool }: typeof agent) => {
    const { world } = (await tool('open_world')).facts;
    await tool('break', { world, ...slow });
    return (name: string, input: object) => {
      const cancelled = new AbortController();
      const cancel = () => cancelled.abort();
      return { answer: client.callTool({ name, arguments: { world, ...input } }, { signal: cancelled.signal }), cancel };
    };
  };
  const [start, startOther] = await Promise.all([begin(agent), begin(other)]);
  for (const [path, name, input] of [
    ['/_control/events/wait', 'wait', { event: { type: 'order-confirmed' }, timeoutMs: 50_000 }],
    ['/baskets', 'call', { id: 'create-basket-api', body: { channel: 'web' } }],
  ] as const) {
    // The requests of both have the same number.
    const [mine, theirs] = [start(name, input), startOther(name, input)];
    const ends = [mine, theirs].map(({ answer }) => expect(answer).rejects.toThrow());
    await eventually(`both requests at ${path}`, async () => gateway.open(path) === 2);
    mine.cancel();
    await eventually(`the end of one request at ${path}`, async () => gateway.left(path) === 1);
    expect(gateway.open(path)).toBe(1);
    theirs.cancel();
    await eventually(`the end of both requests at ${path}`, async () => gateway.left(path) === 2);
    await Promise.all(ends);
  }
});

test('The inputs of all tools are schemas without references, which some clients do not follow', async () => {
  await using agent = await anAgent(atTheGateway());
  const { tools } = await agent.client.listTools();
  expect(tools.length).toBeGreaterThan(10);
  expect(tools.filter(({ inputSchema }) => /"\$(?:ref|defs)"/.test(JSON.stringify(inputSchema))).map(({ name }) => name)).toEqual([]);
  const opened = tools.find(({ name }) => name === 'open_world')?.inputSchema.properties?.['startsAt'];
  expect(opened).toMatchObject({ type: 'string', format: 'date-time', description: expect.stringContaining('Frozen time') });
});

/** A client that has no library for the protocol. */
async function listTools(accept: string) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} });
  const sent = { ...headers, accept, 'content-type': 'application/json' };
  const answer = await fetch(new URL('/mcp', estate.gateway), { method: 'POST', headers: sent, body });
  return { status: answer.status, type: answer.headers.get('content-type')?.split(';')[0], text: await answer.text() };
}

test.each([
  ['*/*', ['application/json', 'text/event-stream']],
  ['application/json', ['application/json']],
  ['application/*;q=0.9', ['application/json']],
  ['text/event-stream', ['text/event-stream']],
  ['text/event-stream, application/json', ['application/json', 'text/event-stream']],
])('The endpoint of agents answers a client that accepts %s in that type', async (accept, types) => {
  const { status, type = '', text } = await listTools(accept);
  expect([status, types.includes(type)]).toEqual([200, true]);
  const message = JSON.parse(type === 'application/json' ? text : (/^data: (.+)$/m.exec(text)?.[1] ?? ''));
  expect(message).toMatchObject({ id: 7, result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'open_world' })]) } });
});

test('The endpoint of agents refuses a client that accepts only another type', async () => {
  expect((await listTools('text/html')).status).toBe(406);
});

test('A session on stdio reaches the worlds that it opened, and no world of another session', async () => {
  await using one = await anAgent(overStdio());
  await using other = await anAgent(overStdio());
  const { world } = (await one.tool('open_world', {})).facts;
  expect((await one.tool('verify', { world })).facts).toMatchObject({ holds: true });
  for (const foreign of [world, 'default']) {
    expect((await other.tool('verify', { world: foreign })).text).toContain('not a world that you opened');
  }
  await one.tool('close', { world });
});

test('A session on stdio without an estate explains how to start one', async () => {
  await using agent = await anAgent(overStdio('http://127.0.0.1:9'));
  const refused = await agent.tool('open_world', {});
  expect([refused.isMistake, refused.text]).toEqual([true, expect.stringContaining('Start an estate, or correct the address.')]);
});

/** The scenarios of the official package that hold for any server. The others need tools, prompts and resources with given names. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'];
const CONFORMANCE = fileURLToPath(new URL('../../node_modules/.bin/conformance', import.meta.url));

const { at } = await scratchFolder();

/** The package sends no credential, so a proxy adds it. */
const withCredential = () =>
  serving((incoming, outgoing) => {
    const { method, headers: sent } = incoming;
    const forwarded = request(new URL('/mcp', estate.gateway), { method, headers: { ...sent, ...headers } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });

test.each(SCENARIOS)('The endpoint of agents passes %s of the official conformance tests', async (scenario) => {
  await using proxy = await withCredential();
  const args = [CONFORMANCE, 'server', '--url', `${proxy.url}/mcp`, '--scenario', scenario, '--output-dir', at(scenario)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(`${stdout}${stderr}`).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/);
});
