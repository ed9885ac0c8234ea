import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { deadLetterTopicOf, domains, topicOf } from '../../shared/catalog/applications.ts';
import { LOGGING_FILES, SERVING, SINGLE_BROKER } from '../../testcontainers/broker-container.ts';
import { freePort } from '../support/free-port.ts';
import { plainClient } from './kafka.ts';

const USER = 'team-a';
const PASSWORD = 'a password of team A';
export const PREFIX = 'team-a.';
const START_MS = 180_000;

/**
 * A broker of a company: TLS, users with passwords, and rights. Team A may use what begins with its prefix.
 * @param host under which the estate reaches the broker
 */
export async function startOwnBroker(host = '127.0.0.1') {
  const folder = mkdtempSync(join(tmpdir(), 'own-broker-'));
  // The estate may run as another user, in a container.
  chmodSync(folder, 0o755);
  const [port, adminPort] = [await freePort(), await freePort()];
  const at = (name: string): string => join(folder, name);
  const subject = ['-subj', '/CN=broker', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:host.docker.internal'];
  const files = ['-keyout', at('key.pem'), '-out', at('ca.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], { stdio: 'ignore' });
  writeFileSync(at('password'), `${PASSWORD}\n`);
  const container = await new GenericContainer('apache/kafka:4.1.0')
    .withExposedPorts({ container: port, host: port }, { container: adminPort, host: adminPort })
    .withEnvironment({
      ...SINGLE_BROKER,
      KAFKA_LISTENERS: `TEAMS://:${port},ADMIN://:${adminPort},CONTROLLER://:29093`,
      KAFKA_ADVERTISED_LISTENERS: `TEAMS://${host}:${port},ADMIN://127.0.0.1:${adminPort}`,
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
  const administrators = `127.0.0.1:${adminPort}`;
  const environment = {
    KAFKA_BROKERS: `${host}:${port}`,
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: at('ca.pem'),
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: USER,
    KAFKA_SASL_PASSWORD_FILE: at('password'),
    KAFKA_PREFIX: PREFIX,
  };
  await prepare(container, administrators);
  return {
    folder,
    administrators,
    /** The variables of an estate of team A. */
    environment,
    stop: async (): Promise<void> => {
      await container.stop({ timeout: 0 });
      rmSync(folder, { recursive: true });
    },
  };
}

/** What an administrator does: a user, its topics, and its rights. */
async function prepare(container: StartedTestContainer, administrators: string): Promise<void> {
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
