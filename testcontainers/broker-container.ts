import {
  AbstractStartedContainer,
  BoundPorts,
  GenericContainer,
  getContainerRuntimeClient,
  type InspectResult,
  type StartedTestContainer,
  Wait,
  waitForContainer,
} from 'testcontainers';
import { explained, lastWords } from './start-failure.ts';

/** Network alias of the broker. */
const ALIAS = 'kafka';
const WITHIN_PORT = 9_092;
const OUTSIDE_PORT = 19_092;
const CONTROLLER_PORT = 9_093;

/** The broker advertises its address to clients, and the external port is known only after the container has started. */
const OUTSIDE_ADDRESS = '/tmp/outside-address';
const WAITING = 'waiting for the address outside';
const START_WHEN_KNOWN = `
echo ${WAITING}
until [ -f ${OUTSIDE_ADDRESS} ]; do sleep 0.05; done
export KAFKA_ADVERTISED_LISTENERS=WITHIN://${ALIAS}:${WITHIN_PORT},OUTSIDE://$(cat ${OUTSIDE_ADDRESS})
exec /etc/kafka/docker/run
`;

/** One Kafka broker, which is its own controller, reachable from its network and from the test. */
export class BrokerContainer extends GenericContainer {
  constructor(image: string) {
    super(image);
    this.withNetworkAliases(ALIAS)
      .withExposedPorts(OUTSIDE_PORT)
      .withEntrypoint(['sh', '-c'])
      .withCommand([START_WHEN_KNOWN])
      .withWaitStrategy(Wait.forLogMessage(WAITING))
      .withCopyContentToContainer(LOGGING_FILES)
      .withEnvironment({
        ...SINGLE_BROKER,
        KAFKA_LISTENERS: `WITHIN://:${WITHIN_PORT},OUTSIDE://:${OUTSIDE_PORT},CONTROLLER://:${CONTROLLER_PORT}`,
        KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'WITHIN:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT',
        KAFKA_INTER_BROKER_LISTENER_NAME: 'WITHIN',
        KAFKA_CONTROLLER_QUORUM_VOTERS: `1@localhost:${CONTROLLER_PORT}`,
      });
  }

  /** @throws EstateStartError with the mistake and the remedy */
  override async start(): Promise<StartedBrokerContainer> {
    const words = lastWords();
    this.withLogConsumer((stream) => words.follow(stream));
    const starting = { image: this.imageName.string, timeoutMs: this.startupTimeoutMs, words };
    return new StartedBrokerContainer(await explained(starting, () => super.start()));
  }

  protected override async containerStarted(container: StartedTestContainer, inspectResult: InspectResult): Promise<void> {
    const address = `${container.getHost()}:${container.getMappedPort(OUTSIDE_PORT)}`;
    // Moved atomically, so that the waiting start script does not read a partial file.
    await container.exec(['sh', '-c', `echo ${address} > ${OUTSIDE_ADDRESS}.new && mv ${OUTSIDE_ADDRESS}.new ${OUTSIDE_ADDRESS}`]);
    const client = await getContainerRuntimeClient();
    const ports = BoundPorts.fromInspectResult(client.info.containerRuntime.hostIps, inspectResult).filter(this.exposedPorts);
    const strategy = Wait.forLogMessage(SERVING);
    if (this.startupTimeoutMs !== undefined) strategy.withStartupTimeout(this.startupTimeoutMs);
    await waitForContainer(client, client.container.getById(container.getId()), strategy, ports);
  }
}

export class StartedBrokerContainer extends AbstractStartedContainer {
  /** Address for the test and other processes on this machine. */
  getBrokers(): readonly string[] {
    return [`${this.getHost()}:${this.getMappedPort(OUTSIDE_PORT)}`];
  }

  /** Address for containers on the same network. */
  getBrokersWithin(): readonly string[] {
    return [`${ALIAS}:${WITHIN_PORT}`];
  }
}

/** Settings of a single Kafka broker for tests, without its listeners. */
export const SINGLE_BROKER = {
  KAFKA_NODE_ID: '1',
  KAFKA_PROCESS_ROLES: 'broker,controller',
  KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
  // One broker holds one copy. Groups have one member, so a rebalance need not wait for others.
  KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '5',
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  // Only the estate creates topics.
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
  // For a run of minutes, the second JIT compiler costs more than it saves.
  KAFKA_HEAP_OPTS: '-Xms64m -Xmx256m -XX:TieredStopAtLevel=1',
  // The buffer for compaction has 128 MiB by default, and the heap would not hold it. Only the offsets of consumers are compacted.
  KAFKA_LOG_CLEANER_DEDUPE_BUFFER_SIZE: '4194304',
} as const;

const LOG_CONFIGURATION = `Configuration:
  Appenders:
    Console:
      name: STDOUT
      PatternLayout: { pattern: "[%d] %p %m (%c)%n" }
  Loggers:
    Root: { level: WARN, AppenderRef: [{ ref: STDOUT }] }
    Logger: [{ name: kafka.server, level: INFO }]
`;

/** Separate log configurations, because the image's files may be read-only, and its start script then fails to complete them. */
export const LOGGING_FILES = ['log4j2.yaml', 'tools-log4j2.yaml'].map((name) => ({
  content: LOG_CONFIGURATION,
  target: `/mnt/shared/config/${name}`,
  mode: 0o644,
}));

/** Log line of a broker that is ready. */
export const SERVING = /Kafka Server started/;
