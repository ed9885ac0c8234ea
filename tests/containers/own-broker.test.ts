import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bare, FREE_PORTS, MAIN, started } from '../processes/started.ts';
import { eventually } from '../support/eventually.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { plainClient, skipWithoutDocker, whyNoDocker } from './kafka.ts';
import { PREFIX, startOwnBroker } from './own-broker.ts';

if (whyNoDocker === undefined) describe('A broker with TLS, logins and rights', withOwnBroker);
else skipWithoutDocker('a broker with TLS, logins and rights');

function withOwnBroker(): void {
  let broker: Awaited<ReturnType<typeof startOwnBroker>>;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    broker = await startOwnBroker();
    environment = { ...bare(), ...FREE_PORTS, ...broker.environment };
  });
  afterAll(() => broker?.stop());

  test('An estate with the rights of a team completes an order over its own topics and groups', async () => {
    await using estate = started(process.execPath, [MAIN], { env: environment });
    await estate.ready();
    await using rehearsal = await rehearsalAt(estate.gateway());
    await rehearsal.completed();
    expect(await rehearsal.control('verify')).toMatchObject({ holds: true });
    const admin = plainClient([broker.administrators]).admin();
    await admin.connect();
    const { groups } = await admin.listGroups();
    const topics = await admin.listTopics();
    await admin.disconnect();
    expect(groups.map(({ groupId }) => groupId)).toContain(`${PREFIX}uc-oms`);
    expect(topics.filter((name) => name.includes('uc.') && !name.startsWith(PREFIX))).toEqual([]);
  });

  test.each([
    ['a wrong password', { KAFKA_SASL_PASSWORD_FILE: 'ca.pem' }, /correct KAFKA_SASL_USERNAME or the password in KAFKA_SASL_PASSWORD_FILE/],
    ['no TLS', { KAFKA_TLS: 'false', KAFKA_TLS_CA_FILE: '' }, /closes it when it demands TLS or a login: see KAFKA_TLS and/],
    [
      'no login',
      { KAFKA_SASL_MECHANISM: '', KAFKA_SASL_USERNAME: '', KAFKA_SASL_PASSWORD_FILE: '' },
      /see KAFKA_TLS and KAFKA_SASL_MECHANISM/,
    ],
    [
      'a mechanism that the broker does not offer',
      { KAFKA_SASL_MECHANISM: 'plain' },
      /choose a mechanism of the broker with KAFKA_SASL_MECHANISM/,
    ],
    [
      'no certificate authority',
      { KAFKA_TLS_CA_FILE: '' },
      /its certificate is not trusted .*name its certificate authority in KAFKA_TLS_CA_FILE/,
    ],
    [
      'a prefix without rights',
      { KAFKA_PREFIX: 'team-b.' },
      /the user needs Describe, Read and Write on the topics, and Read on the groups/,
    ],
  ])('An estate with %s reports the setting to correct', async (_what, changed: Record<string, string>, sentence) => {
    await using estate = started(process.execPath, [MAIN], { cwd: broker.folder, env: { ...environment, ...changed } });
    await eventually('a report', async () => /retrying/.test(estate.output.out + estate.output.err));
    expect(estate.output.out + estate.output.err).toMatch(sentence);
  });
}
