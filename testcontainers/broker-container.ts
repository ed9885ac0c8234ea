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
import { LOGGING_FILES, SERVING, SINGLE_BROKER } from './broker-settings.ts';
import { lastWords } from './last-words.ts';
import { explained } from './start-failure.ts';

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
