import { Agent, createServer, request } from 'node:http';
import { expect, test } from '@jest/globals';
import { watchConnections } from '../../../shared/process/connections.ts';
import { listen } from '../../../shared/process/listen.ts';

interface Answered {
  readonly connection: string | undefined;
  /** The client's end, which is another one with each connection. */
  readonly port: number | undefined;
}

function ask(url: string, agent: Agent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent }, (response) => {
      const { localPort: port } = response.socket;
      response.resume().on('end', () => resolve({ connection: response.headers.connection, port }));
    });
    outgoing.on('error', reject).end();
  });
}

test('A client that is never idle reconnects after a while, possibly to a new replica, without a failed request', async () => {
  const server = createServer((_request, response) => response.end('here'));
  const connections = watchConnections(server, { oldestMs: 300 });
  const url = await listen(server, 0, '127.0.0.1');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: Answered[] = [];
  while (new Set(answers.map(({ port }) => port)).size < 3) answers.push(await ask(url, agent));
  const lastOf = answers.filter(({ port }, at) => answers[at + 1] !== undefined && answers[at + 1]?.port !== port);
  expect(lastOf.map(({ connection }) => connection)).toEqual(['close', 'close']);
  expect(answers.filter(({ connection }) => connection === 'close')).toHaveLength(2);
  expect(answers.length).toBeGreaterThan(10);
  agent.destroy();
  await connections.close();
});
