import { beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { MOST_CHARACTERS } from '../../agents/answer.ts';
import { faultPresets } from '../../shared/catalog/control/fault-presets.ts';
import { agentEndpoint, anAgent, orderedBy, overHttp } from '../support/agent.ts';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';
import { sharedIn } from '../support/test-in.ts';

const agent = sharedIn(() => anAgent(overHttp(estate.gateway)));

const opened = async (): Promise<string> => (await agent.tool('open_world')).facts.world;

describe('An agent', () => {
  test('An agent makes the call that open_world suggests, and every answer names the next step', async () => {
    const { facts } = await agent.tool('open_world');
    const [, suggested = ''] = /call (\{.*?\}\})/.exec(facts.next) ?? [];
    const made = await agent.tool('call', { world: facts.world, ...JSON.parse(suggested) });
    expect(made.facts).toMatchObject({ status: 201, body: { state: 'open' }, next: expect.stringContaining('wait') });
  });

  test('An agent checks whether a call is possible, and nothing changes', async () => {
    const world = await opened();
    const create = { world, id: 'create-customer-api', body: { email: 'nia@example.test', firstName: 'Nia' } };
    const tried = await agent.tool('call', { ...create, dryRun: true });
    expect(tried.facts).toMatchObject({ status: 200, body: { possible: true, status: 201, answer: { firstName: 'Nia' } } });
    expect(tried.facts.next).toContain('without dryRun');
    const part = await agent.tool('call', { ...create, dryRun: true, part: '/answer/firstName' });
    expect(part.facts.body).toBe('Nia');
    expect(await agent.call(world, 'list-events', { query: { type: 'customer-registered' } })).toMatchObject({ items: [] });
    expect((await agent.tool('call', create)).facts.status).toBe(201);
    const again = await agent.tool('call', { ...create, dryRun: true });
    expect([again.facts.status, again.facts.body.code]).toEqual([409, 'duplicate_customer']);
    for (const id of ['search-customer-api', 'read-clock']) {
      const read = await agent.tool('call', { world, id, dryRun: true });
      expect([id, read.facts.status, read.facts.body.errors]).toEqual([id, 422, [expect.objectContaining({ pointer: '?dryRun' })]]);
    }
  });

  test('An agent that calls wrongly gets every mistake with its place and remedy', async () => {
    const world = await opened();
    const refused = await agent.tool('call', { world, id: 'create-basket-api', body: { curency: 'EUR', customerId: 7 } });
    const pointers = refused.facts.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect([refused.facts.status, pointers.toSorted()]).toEqual([422, ['/channel', '/curency', '/customerId']]);
    expect(refused.facts.next).toContain('estate://apis/create-basket-api');
    const mistakes = [
      ['call', { id: 'create-baskt-api' }, 'did you mean create-basket-api?'],
      ['call', { id: 'get-order-api', params: { orderId: 'ord_1' } }, '/orders/{id}: params.id is missing, params.orderId is unknown'],
      ['call', { id: 'list-events', part: '/nothing' }, 'nothing at /nothing'],
      ['call', { id: 'create-basket-api', part: '/lines' }, 'Only a call that reads, or a dry run'],
      ['call', { id: 'create-basket-api', headers: { 'idempotency-key': 'ключ' } }, 'headers.idempotency-key must be visible ASCII'],
      ['call', { id: 'list-events', headers: { 'x-rehearsal': 'default' } }, 'headers'],
      ['call', { id: 'create-rehearsal', body: {} }, 'There is no call create-rehearsal'],
      ['break', { preset: 'oms-down', rule: {} }, 'either a preset or a rule'],
      ['break', { name: 'odd', rule: { match: {}, fault: { kind: 'outage' } } }, 'A fault needs a target'],
      ['mend', { name: 'unknown' }, 'unknown'],
      ['wait', { event: 'order-confirmed' }, 'event: This must be an object, not text.'],
      ['wait', { object: { type: 'order', id: 'ord_1', state: 'draft' } }, 'ord_1'],
      [
        'wait',
        { object: { type: 'customer', id: 'cus_ada', state: 'gold' } },
        'The customer is active: it has no state gold. It can become ',
      ],
      ['wait', { object: { type: 'customer', id: 'cus_ada', state: 'anonymous' } }, 'from this state it never becomes anonymous'],
      ['wait', { object: { type: 'loyalty-account', id: 'loy_ada', state: 'gold' } }, 'A loyalty-account has no states'],
      ['advance', {}, 'by'],
    ] as const;
    for (const [name, input, words] of mistakes) {
      const refused = await agent.tool(name, { world, ...input });
      expect([name, refused.isMistake, refused.text]).toEqual([name, true, expect.stringContaining(words)]);
    }
  });

  test('An agent reaches only the worlds that its credential opened', async () => {
    await using foreign = await newRehearsal();
    const world = await opened();
    const [name = '', signature = ''] = world.split('.');
    const others = [
      'default',
      foreign.name,
      name,
      `${foreign.name}.${signature}`,
      `${name}.`,
      `${name}.${'0'.repeat(24)}`,
      `${world}.x`,
      `${world}.`,
    ];
    for (const other of others) {
      const refused = await agent.tool('verify', { world: other });
      expect([other, refused.isMistake, refused.text]).toEqual([other, true, expect.stringContaining('not a world that you opened')]);
    }
  });

  test('An agent with another credential of the control plane reaches neither the worlds nor the kept worlds of the first one', async () => {
    await using connections = await agentEndpoint(estate.gateway);
    await using ann = await anAgent(connections.as('ann'));
    await using sameCredential = await anAgent(connections.as('ann'));
    await using ben = await anAgent(connections.as('ben'));
    const { world } = (await ann.tool('open_world')).facts;
    const { kept } = (await ann.tool('keep', { world })).facts;
    for (const own of [world, kept]) {
      const refused = await ben.tool('open_world', { from: own });
      expect([refused.isMistake, refused.text]).toEqual([true, expect.stringMatching(/not a world that you (opened|kept)/)]);
    }
    expect((await ben.tool('call', { world, id: 'list-events' })).text).toContain('not a world that you opened');
    expect((await sameCredential.tool('call', { world, id: 'list-events' })).facts.status).toBe(200);
    for (const own of [kept, world]) expect((await ann.tool('close', { world: own })).isMistake).toBe(false);
  });

  test('An agent stays in its world when the value of a path parameter is a step of a path, is empty, or cannot be encoded', async () => {
    const world = await opened();
    const steps = ['.', '..'].flatMap((step) => [
      ['call', { id: 'read-object', params: { type: step, id: 'rehearsals' } }, 'type'],
      ['call', { id: 'read-object', params: { type: 'order', id: step } }, 'id'],
      ['call', { id: 'play-scan', params: { id: step, scan: 'rehearsals' }, body: { from: { rehearsal: 'default' } } }, 'id'],
      ['call', { id: 'get-order-api', params: { id: step } }, 'id'],
      ['explain', { type: step, id: 'rehearsals' }, 'type'],
      ['explain', { id: step }, 'id'],
      ['mend', { name: step }, 'name'],
      ['break', { name: step, preset: 'oms-down' }, 'name'],
      ['wait', { object: { type: step, id: 'rehearsals', state: 'open' } }, 'type'],
    ]) as [string, object, string][];
    const others: [string, object, string][] = [
      ['call', { id: 'get-order-api', params: { id: '\ud800' } }, 'id'],
      ['explain', { id: '' }, 'id'],
    ];
    for (const [name, input, parameter] of [...steps, ...others]) {
      const refused = await agent.tool(name, { world, ...input });
      const words = expect.stringMatching(new RegExp(`path parameter "${parameter}" .*Give the id or the name`));
      expect([name, input, refused.isMistake, refused.facts.error]).toEqual([name, input, true, words]);
    }
  });

  test('The handle of a deleted world stays unknown when its name is used again', async () => {
    const world = await opened();
    const [name = ''] = world.split('.');
    await agent.tool('close', { world });
    await using again = await newRehearsal();
    await again.control('create-rehearsal', { body: { name } });
    expect((await agent.tool('call', { world, id: 'list-events' })).text).toContain('not a world that you opened');
    await again.control('delete-rehearsal', { params: { name } });
  });
});

test('An agent keeps a world, compares it with what followed, and begins again from it', async () => {
  await using foreign = await newRehearsal();
  const world = await opened();
  const first = await orderedBy(agent, world);
  const { kept } = (await agent.tool('keep', { world })).facts;
  const second = await orderedBy(agent, world);
  await agent.tool('wait', { world });
  const { facts } = await agent.tool('diff', { from: kept, to: world, type: 'order' });
  expect(facts).toMatchObject({ differ: 1, objects: [{ id: second.id, change: 'added' }] });
  expect((await agent.tool('diff', { from: kept, to: world })).facts.counters.join()).toMatch(/mug-blue.* -> /);

  const again = (await agent.tool('open_world', { from: kept })).facts.world;
  expect((await agent.tool('diff', { from: kept, to: again })).facts.differ).toBe(0);
  expect(await agent.call(again, 'get-order-api', { params: { id: first.id } })).toMatchObject({ id: first.id });
  const fork = (await agent.tool('open_world', { from: world })).facts.world;
  expect(await agent.call(fork, 'get-order-api', { params: { id: second.id } })).toMatchObject({ id: second.id });

  const [name = ''] = kept.slice('kept:'.length).split('.');
  await foreign.control('save-snapshot', { params: { name: foreign.name } });
  const refusals = [
    ['keep', { world, name }, 'Choose another name'],
    ['keep', { world, name: foreign.name }, 'Choose another name'],
    ['open_world', { from: foreign.name }, 'not a world that you opened'],
    ['open_world', { from: `kept:${foreign.name}.${kept.split('.')[1]}` }, 'not a world that you kept'],
    ['diff', { from: kept, to: 'default' }, 'not a world that you opened'],
    ['open_world', { from: `${kept}.x` }, 'not a world that you kept'],
    ['close', { world: `kept:${foreign.name}` }, 'not a world that you kept'],
  ] as const;
  for (const [tool, input, words] of refusals) {
    const refused = await agent.tool(tool, input);
    expect([tool, refused.isMistake, refused.text]).toEqual([tool, true, expect.stringContaining(words)]);
  }
  await foreign.control('delete-snapshot', { params: { name: foreign.name } });
  for (const one of [kept, again, fork, world]) expect((await agent.tool('close', { world: one })).isMistake).toBe(false);
  expect((await agent.tool('open_world', { from: kept })).text).toContain('not a world that you kept');
});

describe('Answers for agents', () => {
  const shown: { readonly what: string; readonly text: string }[] = [];
  let world: string;
  const ask = async (name: string, input: object = {}) => {
    const answer = await agent.tool(name, { world, ...input });
    shown.push({ what: `${name} ${JSON.stringify(input)}`, text: answer.text });
    return answer;
  };

  beforeAll(async () => {
    const first = await agent.tool('open_world', { idleExpiry: 'PT10M', seed: 'agents', startsAt: '2030-01-01T00:00:00Z' });
    expect(first.facts.now).toMatch(/^2030-01-01T00:00/);
    shown.push({ what: 'open_world', text: first.text });
    world = first.facts.world;
    const lines = ['mug-blue', 'lamp-last-one', 'wine-red'].map((sku) => ({ sku, qty: 1 }));
    const baskets = Array.from({ length: 300 }, () => agent.call(world, 'create-basket-api', { body: { channel: 'web', lines } }));
    await Promise.all(baskets);
    for (let made = 0; made < 12; made++) await orderedBy(agent, world);
    for (const { id: preset } of faultPresets) await ask('break', { preset });
    await ask('advance', { by: 'P3D' });
    await ask('wait');
    await ask('verify');
    await ask('wait', { event: { type: 'basket-created', count: 100 } });
    const { items } = await agent.call(world, 'list-objects', { params: { type: 'order' } });
    await ask('wait', { object: { type: 'order', id: items[0].id, state: 'nowhere' }, timeoutMs: 0 });
    for (const id of [
      'list-events',
      'read-journal',
      'list-traces',
      'list-faults',
      'list-parked',
      'verify',
      'list-clock-moves',
      'list-fault-presets',
      'settle',
    ]) {
      await ask('call', { id });
    }
    await ask('call', { id: 'list-events', query: { limit: 1_000 } });
    await ask('call', { id: 'list-related-objects', params: { type: 'customer', id: 'cus_ada' } });
    await ask('call', { id: 'get-order-api', params: { id: items[0].id } });
    await ask('explain', { id: items[0].id });
    await ask('explain', { id: 'cus_ada' });
    const { kept } = (await ask('keep')).facts;
    const fresh = (await agent.tool('open_world')).facts.world;
    await ask('mend');
    await agent.tool('diff', { from: fresh, to: world }).then(({ text }) => shown.push({ what: 'diff', text }));
    await agent.tool('close', { world: kept });
  });

  test('No answer of a tool about a big world exceeds 2,000 tokens, and each names the next step', () => {
    expect(shown.length).toBeGreaterThan(30);
    for (const { what, text } of shown) {
      expect([what, text.length <= MOST_CHARACTERS, JSON.parse(text).next]).toEqual([what, true, expect.stringMatching(/\w{3}/)]);
    }
  });

  test('A long answer shows how to get the rest, and the part that was left out can be read', async () => {
    const { facts } = await ask('call', { id: 'list-events', query: { limit: 200 } });
    expect(facts.body.items.at(-1)).toMatch(/^… \d+ more$/);
    expect(facts.leftOut).toContain('"part": "/items"');
    const rest = await ask('call', { id: 'list-events', query: { limit: 200 }, part: '/items', from: 199 });
    expect(rest.facts.body).toHaveLength(1);
    expect(rest.facts).not.toHaveProperty('leftOut');
  });

  test('No answer of a tool contains a credential of the estate or of a rehearsal', () => {
    for (const { what, text } of shown)
      expect([what, /reh_|whsec_|demo-\w+-token|demo-carrier-key|clientSecret/.exec(text)]).toEqual([what, null]);
  });

  test('Every resource has at most 2,000 tokens, and the schema of every callable id can be read', async () => {
    const { resources } = await agent.client.listResources();
    const { resourceTemplates } = await agent.client.listResourceTemplates();
    const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    const inTemplates = await Promise.all(
      templates.map(async (uri) => {
        const { completion } = await agent.client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'id', value: '' } });
        return completion.values.map((id) => uri.replace('{id}', id));
      }),
    );
    const uris = [...resources.map(({ uri }) => uri), ...inTemplates.flat(), 'estate://apis/confirm-order-api', 'estate://apis/play-scan'];
    expect(uris.length).toBeGreaterThan(60);
    for (const uri of uris) {
      const { contents } = await agent.client.readResource({ uri });
      const text = contents.map((one) => ('text' in one ? one.text : '')).join('');
      expect([uri, text.length > 20, text.length <= MOST_CHARACTERS]).toEqual([uri, true, true]);
    }
    await expect(agent.client.readResource({ uri: 'estate://apis/no-such-api' })).rejects.toThrow('no-such-api');
  });

  test('Every tool, resource and call that a prompt names exists', async () => {
    const { prompts } = await agent.client.listPrompts();
    expect(prompts).toHaveLength(3);
    const { tools } = await agent.client.listTools();
    const { resources } = await agent.client.listResources();
    const texts = await Promise.all(prompts.map(({ name }) => agent.client.getPrompt({ name, arguments: {} })));
    const text = JSON.stringify(texts);
    for (const [uri] of text.matchAll(/estate:\/\/[a-z-]+(?![a-z-]*\/)/g)) expect(resources.map((one) => one.uri)).toContain(uri);
    for (const { name } of tools.filter(({ name }) => name !== 'close')) expect(text).toContain(name);
  });
});

const members = (count: number, prefix = 'k'): string => `{${Array.from({ length: count }, (_, n) => `"${prefix}${n}":1`).join(',')}}`;

test.each([
  ['more than 64 levels', `${'['.repeat(520_000)}${']'.repeat(520_000)}`, 'The body nests deeper than 64 levels.'],
  ['too many members', members(70_000), 'The body has more than 1,000 members or items: send fewer.'],
  [
    'too many values',
    `[${Array(200)
      .fill(`[${Array(600).fill('1').join(',')}]`)
      .join(',')}]`,
    'The body has more than 100,000 values in all: send fewer.',
  ],
  [
    'objects of too many kinds',
    `[${Array.from({ length: 900 }, (_, n) => members(10, `k${n}_`)).join(',')}]`,
    'The body has more than 5,000 different names or sequences of members: use the same names in the same order, or send less.',
  ],
])('A message of an agent with %s is refused before it is parsed', async (_what, body, message) => {
  await using endpoint = await agentEndpoint(estate.gateway);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-principal': 'a' };
  const reply = await fetch(new URL('/mcp', endpoint.url), { method: 'POST', headers, body });
  expect([reply.status, await reply.json()]).toEqual([400, { jsonrpc: '2.0', error: { code: -32_600, message }, id: null }]);
});

test('A batch of an agent has at most 50 messages, and no message of a longer one is answered', async () => {
  await using endpoint = await agentEndpoint(estate.gateway);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-principal': 'a' };
  const sent = async (count: number) => {
    const body = JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    const reply = await fetch(new URL('/mcp', endpoint.url), { method: 'POST', headers, body });
    return [reply.status, await reply.text()];
  };
  const message = 'A batch has at most 50 messages: send fewer.';
  expect(await sent(51)).toEqual([400, JSON.stringify({ jsonrpc: '2.0', error: { code: -32_600, message }, id: null })]);
  expect(await sent(50)).toEqual([200, expect.stringContaining('"id":49')]);
});

test('The calls of tools in a batch run one after the other', async () => {
  await using endpoint = await agentEndpoint(estate.gateway);
  await using own = await anAgent(endpoint.as('a'));
  const { world } = (await own.tool('open_world')).facts;
  const calling = (input: object, id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'call', arguments: { world, ...input } },
  });
  const prices = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => n * 100);
  const batch = prices.flatMap((amount) => [
    { id: 'change-product-by-hand', params: { id: 'mug-blue' }, body: { price: { amount } } },
    { id: 'get-product-api', params: { id: 'mug-blue' }, part: '/price/amount' },
  ]);
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-principal': 'a' };
  const reply = await fetch(new URL('/mcp', endpoint.url), { method: 'POST', headers, body: JSON.stringify(batch.map(calling)) });
  type Result = { readonly id: number; readonly result: { readonly content: readonly [{ readonly text: string }] } };
  const results = (await reply.json()) as readonly Result[];
  expect(results.map(({ id }) => id)).toEqual(batch.map((_, place) => place));
  const read = results.flatMap(({ id, result: { content } }) => (id % 2 === 1 ? [JSON.parse(content[0].text).body] : []));
  expect(read).toEqual(prices);
});

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])(
  'The endpoint of agents refuses %s, and names POST',
  async (method) => {
    const headers = { authorization: `Bearer ${ADMIN}`, accept: 'application/json, text/event-stream' };
    const { statusCode, headers: answered, body } = await request(new URL('/mcp', estate.gateway), { method: method as 'GET', headers });
    await body.dump();
    expect([statusCode, answered['allow']]).toEqual([405, 'POST']);
  },
);
