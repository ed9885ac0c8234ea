import { expect, test } from '@jest/globals';
import { GenericContainer, Wait } from 'testcontainers';
import { parseAllDocuments } from 'yaml';
import { createClient } from '../../shared/events/kafka/client.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { LOGGING_FILES, SERVING } from '../../testcontainers/broker-container.ts';
import { freePort } from '../support/free-port.ts';
import { environmentOf, type KubernetesObject } from '../support/kubernetes-objects.ts';
import { textOf } from '../support/tracked-files.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const PASSWORD = 'a-Password_of-the-estate-0123456789';
const START_MS = 180_000;

if (whyNoDocker !== undefined) skipWithoutDocker('the password of Kafka in Kubernetes');
else
  test(
    'The Kafka in Kubernetes serves the estate with its password, and nobody with another one or without',
    async () => {
      const [set] = parseAllDocuments(textOf('k8s/components/kafka/kafka.yaml')).map((document) => document.toJS() as KubernetesObject);
      const secret = {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'estate' } },
        data: { PASSWORD_OF_KAFKA: Buffer.from(PASSWORD).toString('base64') },
      };
      const [container] = set?.spec?.template?.spec.containers ?? [];
      const environment = container ? environmentOf(container, [secret]) : {};
      const port = await freePort();
      const broker = await new GenericContainer('apache/kafka:4.1.0')
        .withExposedPorts({ container: 9092, host: port })
        .withEnvironment({ ...environment, KAFKA_ADVERTISED_LISTENERS: `ESTATE://127.0.0.1:${port},LOCAL://localhost:9094` })
        .withCopyContentToContainer([...LOGGING_FILES])
        .withWaitStrategy(Wait.forLogMessage(SERVING))
        .withStartupTimeout(START_MS)
        .start();
      try {
        const topicsFor = async (password: string | undefined) => {
          const sasl = password === undefined ? undefined : { mechanism: 'plain' as const, username: 'estate', password };
          const log = createLogger('silent');
          const admin = createClient({ brokers: [`127.0.0.1:${port}`], clientId: 'test', log, sasl }, log).admin();
          try {
            await admin.connect();
            return await admin.listTopics();
          } finally {
            await admin.disconnect();
          }
        };
        expect(await topicsFor(PASSWORD)).toEqual([]);
        await expect(topicsFor(`${PASSWORD}x`)).rejects.toThrow();
        await expect(topicsFor(undefined)).rejects.toThrow();
      } finally {
        await broker.stop({ timeout: 0 });
      }
    },
    START_MS,
  );
