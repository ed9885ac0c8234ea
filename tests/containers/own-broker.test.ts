import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import kafkajs from 'kafkajs';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { deadLetterTopicOf, domains, topicOf } from '../../shared/catalog/applications.ts';
import { LOGGING_FILES, SERVING, SINGLE_BROKER } from '../../testcontainers/broker-container.ts';
import { bare, FREE_PORTS, MAIN, started } from '../processes/started.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { plainClient, skipWithoutDocker, whyNoDocker } from './kafka.ts';

/** A broker of a company: TLS, users with passwords, and rights. Team A may use what begins with its prefix. */
const USER = 'team-a';
const PASSWORD = 'a password of team A';
const PREFIX = 'team-a.';
const START_MS = 180_000;

if (whyNoDocker === undefined) describe('A broker with TLS, logins and rights', withOwnBroker);
else skipWithoutDocker('a broker with TLS, logins and rights');

function withOwnBroker(): void {
  let folder: string;
  let container: StartedTestContainer;
  let administrators: string;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'own-broker-'));
    const [port, adminPort] = [await freePort(), await freePort()];
    const at = (name: string): string => join(folder, name);
    const subject = ['-subj', '/CN=broker', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const files = ['-keyout', at('key.pem'), '-out', at('ca.pem')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], { stdio: 'ignore' });
    writeFileSync(at('password'), `${PASSWORD}\n`);
    container = await new GenericContainer('apache/kafka:4.1.0')
      .withExposedPorts({ container: port, host: port }, { container: adminPort, host: adminPort })
      .withEnvironment({
        ...SINGLE_BROKER,
        KAFKA_LISTENERS: `TEAMS://:${port},ADMIN://:${adminPort},CONTROLLER://:29093`,
        KAFKA_ADVERTISED_LISTENERS: `TEAMS://127.0.0.1:${port},ADMIN://127.0.0.1:${adminPort}`,
        KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'TEAMS:SASL_SSL,ADMIN:PLAINTEXT,CONTROLLER:PLAINTEXT',
        KAFKA_INTER_BROKER_LISTENER_NAME: 'ADMIN',
        KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:29093',
        KAFKA_SASL_ENABLED_MECHANISMS: 'SCRAM-SHA-512',
        KAFKA_LISTENER_NAME_TEAMS_SCRAM___SHA___512_SASL_JAAS_CONFIG: 'org.apache.kafka.common.security.scram.ScramLoginModule required;',
        KAFKA_SSL_KEYSTORE_TYPE: 'PEM',
        KAFKA_SSL_KEYSTORE_LOCATION: '/tmp/broker.pem',
        KAFKA_AUTHORIZER_CLASS_NAME: 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        KAFKA_SUPER_USERS: 'User:ANONYMOUS',
      })
      .withCopyContentToContainer([
        ...LOGGING_FILES,
        { content: `${readFileSync(at('key.pem'), 'utf8')}${readFileSync(at('ca.pem'), 'utf8')}`, target: '/tmp/broker.pem', mode: 0o644 },
      ])
      .withWaitStrategy(Wait.forLogMessage(SERVING))
      .withStartupTimeout(START_MS)
      .start();
    administrators = `127.0.0.1:${adminPort}`;
    environment = {
      ...bare(),
      ...FREE_PORTS,
      KAFKA_BROKERS: `127.0.0.1:${port}`,
      KAFKA_TLS: 'true',
      KAFKA_TLS_CA_FILE: at('ca.pem'),
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: USER,
      KAFKA_SASL_PASSWORD_FILE: at('password'),
      KAFKA_PREFIX: PREFIX,
    };
    await prepare();
  });

  afterAll(async () => {
    await container?.stop({ timeout: 0 });
    rmSync(folder, { recursive: true });
  });

  /** What an administrator does: a user, its topics, and its rights. */
  async function prepare(): Promise<void> {
    const configs = `/opt/kafka/bin/kafka-configs.sh --bootstrap-server ${administrators} --alter --entity-type users --entity-name ${USER}`;
    const made = await container.exec(['sh', '-c', `${configs} --add-config 'SCRAM-SHA-512=[password=${PASSWORD}]'`]);
    if (made.exitCode !== 0) throw new Error(made.output);
    const admin = plainClient([administrators]).admin();
    await admin.connect();
    const topics = domains.map((domain) => `${PREFIX}${topicOf(domain)}`).flatMap((topic) => [topic, deadLetterTopicOf(topic)]);
    await admin.createTopics({ topics: topics.map((topic) => ({ topic, numPartitions: 2 })), waitForLeaders: true });
    const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
    const { TOPIC, GROUP } = AclResourceTypes;
    const { DESCRIBE, READ, WRITE } = AclOperationTypes;
    const rights = [
      [TOPIC, DESCRIBE],
      [TOPIC, READ],
      [TOPIC, WRITE],
      [GROUP, READ],
    ] as const;
    await admin.createAcls({
      acl: rights.map(([resourceType, operation]) => ({
        resourceType,
        resourceName: PREFIX,
        resourcePatternType: ResourcePatternTypes.PREFIXED,
        principal: `User:${USER}`,
        host: '*',
        operation,
        permissionType: AclPermissionTypes.ALLOW,
      })),
    });
    await admin.disconnect();
  }

  test('An estate with the rights of a team completes an order over its own topics and groups', async () => {
    await using estate = started(process.execPath, [MAIN], { env: environment });
    await estate.ready();
    await using rehearsal = await rehearsalAt(estate.gateway());
    await rehearsal.completed();
    expect(await rehearsal.control('verify')).toMatchObject({ holds: true });
    const admin = plainClient([administrators]).admin();
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
    await using estate = started(process.execPath, [MAIN], { cwd: folder, env: { ...environment, ...changed } });
    await eventually('a report', async () => /retrying/.test(estate.output.out + estate.output.err));
    expect(estate.output.out + estate.output.err).toMatch(sentence);
  });
}
