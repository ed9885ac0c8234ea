import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { bare, FREE_PORTS, MAIN, started } from '../processes/started.ts';
import { eventually } from '../support/eventually.ts';
import { aFolder } from '../support/folder.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { textOf } from '../support/tracked-files.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

/** The rule that the documentation gives to administrators. */
const [, USER = '', RULE = ''] = /^ACL SETUSER (\S+) (.*)$/m.exec(textOf('docs/reference/variables.md')) ?? [];
const PASSWORD = />(\S+)/.exec(RULE)?.[1] ?? '';
const START_MS = 60_000;

if (whyNoDocker === undefined) describe('A Redis with TLS, users and rights', withOwnRedis);
else skipWithoutDocker('a Redis with TLS, users and rights');

function withOwnRedis(): void {
  let folder: Awaited<ReturnType<typeof aFolder>>;
  let container: StartedTestContainer;
  let environment: NodeJS.ProcessEnv;
  let endpoint: string;

  beforeAll(async () => {
    folder = await aFolder();
    const { at, write } = folder;
    const subject = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const files = ['-keyout', at('key.pem'), '-out', at('ca.pem')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], { stdio: 'ignore' });
    await write('password', `${PASSWORD}\n`);
    await write('wrong-password', 'wrong\n');
    const settings = [
      'port 0',
      'tls-port 6380',
      ...['tls-cert-file /tls/ca.pem', 'tls-key-file /tls/key.pem', 'tls-ca-cert-file /tls/ca.pem', 'tls-auth-clients no'],
      'user default off',
      `user ${USER} ${RULE}`,
      `user half ${RULE} -@scripting`,
      `user elsewhere ${RULE.replaceAll('estate:*', 'other:*')}`,
    ];
    const readable = (content: string, target: string) => ({ content, target, mode: 0o644 });
    container = await new GenericContainer('redis:8.0')
      .withExposedPorts(6380)
      .withCopyContentToContainer([
        readable(settings.join('\n'), '/tls/redis.conf'),
        ...['key.pem', 'ca.pem'].map((name) => readable(readFileSync(at(name), 'utf8'), `/tls/${name}`)),
      ])
      .withCommand(['redis-server', '/tls/redis.conf'])
      .withWaitStrategy(Wait.forLogMessage('Ready to accept connections tls'))
      .withStartupTimeout(START_MS)
      .start();
    endpoint = `127.0.0.1:${container.getMappedPort(6380)}`;
    environment = {
      ...bare(),
      ...FREE_PORTS,
      REDIS_URL: `rediss://${USER}@${endpoint}`,
      REDIS_PASSWORD_FILE: at('password'),
      REDIS_TLS_CA_FILE: at('ca.pem'),
    };
  });

  afterAll(async () => {
    await container?.stop({ timeout: 0 });
    await folder.remove();
  });

  test('An estate with the documented rights completes an order, resets, advances, and deletes its rehearsal', async () => {
    await using estate = started(process.execPath, [MAIN], { env: environment });
    await estate.ready();
    await using rehearsal = await rehearsalAt(estate.gateway());
    await rehearsal.completed();
    expect(await rehearsal.control('verify')).toMatchObject({ holds: true });
    await rehearsal.control('reset-rehearsal');
    await rehearsal.advance('P1D');
    await rehearsal.control('search', { query: { q: 'mug' } });
    await rehearsal.control('list-traces');
    expect(estate.output.out + estate.output.err).not.toMatch(/NOPERM|permission|wrong password/i);
    const client = 'redis-cli --tls --cacert /tls/ca.pem -p 6380'.split(' ');
    const log = await container.exec([...client, '--user', USER, '--pass', PASSWORD, 'DBSIZE']);
    expect(log.output).toMatch(/[1-9]\d*/);
  });

  test.each([
    ['a wrong password', { REDIS_PASSWORD_FILE: 'wrong-password' }, /refuses the user name or password/],
    [
      'no certificate authority',
      { REDIS_TLS_CA_FILE: '' },
      /its certificate is not trusted; name its certificate authority in REDIS_TLS_CA_FILE/,
    ],
    ['no TLS', { REDIS_TLS_CA_FILE: '', plain: 'yes' }, /the connection was closed; if it demands TLS, write its address as rediss:/],
    ['a user without scripts', { user: 'half' }, /lacks a permission .*docs\/reference\/variables\.md/],
    ['a user with other keys', { user: 'elsewhere' }, /lacks a permission .*docs\/reference\/variables\.md/],
  ])('An estate with %s reports the setting to correct', async (_what, changed: Record<string, string>, sentence) => {
    const { user = USER, plain, ...variables } = changed;
    const REDIS_URL = `${plain ? 'redis' : 'rediss'}://${user}@${endpoint}`;
    await using estate = started(process.execPath, [MAIN], { cwd: folder.path, env: { ...environment, ...variables, REDIS_URL } });
    await eventually('a report', async () => sentence.test(estate.output.out + estate.output.err), START_MS);
    expect(estate.output.out + estate.output.err).not.toContain(PASSWORD);
  });
}
