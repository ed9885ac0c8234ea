import { randomBytes } from 'node:crypto';
import { GenericContainer, Network, type StartedNetwork, type StartedTestContainer, Wait } from 'testcontainers';
import type { EstateClient } from '../rehearsal/estate-client.ts';
import { DEMO_CREDENTIALS, type EstateCredentials, EstateRehearsal, type NewRehearsal } from '../rehearsal/estate-rehearsal.ts';
import type { HardenRun } from '../rehearsal/harden/run.ts';
import { type HardenChoices, type HardenStory, harden } from '../rehearsal/harden.ts';
import { type Application, applicationNames } from '../shared/catalog/applications.ts';
import { BrokerContainer, type StartedBrokerContainer } from './broker-container.ts';
import { EstateContainer, type LogLevel, ready } from './estate-container.ts';
import { explained, lastWords, requireEngine } from './start-failure.ts';
import {
  clientOn,
  DEMO_TOUCHPOINT,
  GATEWAY_PORT,
  PORTAL_PORT,
  type StartedEstate,
  TOUCHPOINT_PORT,
  type TouchpointAccess,
} from './started-estate.ts';

/** A member of an ensemble with one container per application. */
export type EnsembleMember = Application | 'gateway' | 'touchpoint-mock';

const REDIS_PORT = 6_379;
const APPLICATION_PORT = 8_080;
/** On a small machine the broker alone takes ten seconds to start, and the other containers start at the same time. */
const STARTUP_MS = 180_000;

/**
 * The estate with a real Redis and a real Kafka on a separate network, for tests that read events from Kafka.
 * By default the estate is one container; it can also be one container per application, as in a deployment.
 */
export class EstateEnsemble {
  readonly #image: string;
  #kafkaImage = 'apache/kafka:4.1.0';
  #redisImage = 'redis:8.0';
  #logLevel: LogLevel = 'info';
  #startupTimeoutMs = STARTUP_MS;
  #perApplication = false;

  constructor(image: string) {
    this.#image = image;
  }

  withKafkaImage(image: string): this {
    this.#kafkaImage = image;
    return this;
  }

  withRedisImage(image: string): this {
    this.#redisImage = image;
    return this;
  }

  withLogLevel(level: LogLevel): this {
    this.#logLevel = level;
    return this;
  }

  /** Startup timeout of each container. */
  withStartupTimeout(startupTimeoutMs: number): this {
    this.#startupTimeoutMs = startupTimeoutMs;
    return this;
  }

  /** One container for each application, one for the gateway and one for the touchpoint mock: fifteen, and about 1.5 GB of memory. */
  withContainerPerApplication(): this {
    this.#perApplication = true;
    return this;
  }

  /** @throws EstateStartError with the mistake and the remedy, and with the last log lines of a container that ran */
  async start(): Promise<StartedEstateEnsemble> {
    await requireEngine();
    const network = await new Network().start();
    const running: StartedTestContainer[] = [];
    const keep = async <T extends StartedTestContainer>(starting: Promise<T>): Promise<T> => {
      const started = await starting;
      running.push(started);
      return started;
    };
    try {
      const [redis, broker] = await allOrNone([keep(this.#startRedis(network)), keep(this.#startBroker(network))]);
      const infrastructure = { REDIS_URL: `redis://redis:${REDIS_PORT}`, KAFKA_BROKERS: broker.getBrokersWithin().join(',') };
      const members = this.#perApplication
        ? await this.#startMembers({ network, infrastructure, keep })
        : await this.#startWhole({ network, infrastructure, keep });
      return new StartedEstateEnsemble({ ...members, redis, broker, stop: () => stopAll(running, network) });
    } catch (error) {
      // Report the first failure, not a network that cannot be removed.
      await stopAll(running, network).catch(() => undefined);
      throw error;
    }
  }

  #startRedis(network: StartedNetwork): Promise<StartedTestContainer> {
    const container = new GenericContainer(this.#redisImage)
      .withNetwork(network)
      .withNetworkAliases('redis')
      .withExposedPorts(REDIS_PORT)
      // No data outlives the container, so Redis need not write to disk.
      .withCommand(['redis-server', '--save', '', '--appendonly', 'no'])
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
      .withStartupTimeout(this.#startupTimeoutMs);
    return this.#started(this.#redisImage, container);
  }

  #startBroker(network: StartedNetwork): Promise<StartedBrokerContainer> {
    return new BrokerContainer(this.#kafkaImage).withNetwork(network).withStartupTimeout(this.#startupTimeoutMs).start();
  }

  async #startWhole({ network, infrastructure, keep }: Placement): Promise<Members> {
    const whole = new EstateContainer(this.#image)
      .withNetwork(network)
      .withNetworkAliases('gateway')
      .withEnvironment(infrastructure)
      .withLogLevel(this.#logLevel)
      .withStartupTimeout(this.#startupTimeoutMs);
    const estate = await keep(whole.start());
    return { gateway: estate, touchpoint: estate, containers: new Map() };
  }

  /** Starts all containers concurrently. Each waits for its own dependencies. */
  async #startMembers({ network, infrastructure, keep }: Placement): Promise<Members> {
    const secret = (): string => randomBytes(32).toString('hex');
    const environment = {
      ...infrastructure,
      ALLOW_DEMO_CREDENTIALS: 'true',
      LOG_LEVEL: this.#logLevel,
      ESTATE_TOKEN: secret(),
      CREDENTIAL_PEPPER: secret(),
    };
    const names: readonly EnsembleMember[] = [...applicationNames, 'gateway', 'touchpoint-mock'];
    const entries = await allOrNone(
      names.map(async (name): Promise<[EnsembleMember, StartedTestContainer]> => {
        const container = new GenericContainer(this.#image)
          .withNetwork(network)
          .withNetworkAliases(name)
          .withEnvironment({ ...environment, SERVICE: name })
          .withExposedPorts(...portsOf(name))
          .withWaitStrategy(Wait.forAll(portsOf(name).map(ready)))
          .withStartupTimeout(this.#startupTimeoutMs);
        return [name, await keep(this.#started(`${name} of ${this.#image}`, container, this.#image))];
      }),
    );
    const containers = new Map(entries);
    const one = (name: EnsembleMember): StartedTestContainer => {
      const container = containers.get(name);
      if (container === undefined) throw new Error(`${name} has not been started.`);
      return container;
    };
    return { gateway: one('gateway'), touchpoint: one('touchpoint-mock'), containers };
  }

  #started(what: string, container: GenericContainer, image = what): Promise<StartedTestContainer> {
    const words = lastWords();
    container.withLogConsumer((stream) => words.follow(stream));
    return explained({ image, what, timeoutMs: this.#startupTimeoutMs, words }, () => container.start());
  }
}

interface Placement {
  readonly network: StartedNetwork;
  readonly infrastructure: Readonly<Record<'REDIS_URL' | 'KAFKA_BROKERS', string>>;
  /** Remembers a started container in order to stop it. */
  readonly keep: <T extends StartedTestContainer>(starting: Promise<T>) => Promise<T>;
}

interface Members {
  readonly gateway: StartedTestContainer;
  readonly touchpoint: StartedTestContainer;
  /** Containers by service; empty when the estate is one container. */
  readonly containers: ReadonlyMap<EnsembleMember, StartedTestContainer>;
}

const portsOf = (name: EnsembleMember): readonly number[] =>
  name === 'touchpoint-mock' ? [TOUCHPOINT_PORT, PORTAL_PORT] : [name === 'gateway' ? GATEWAY_PORT : APPLICATION_PORT];

/** Like `Promise.all`, but waits for the others when one fails, so that no container starts after the stop. */
async function allOrNone<T extends readonly Promise<unknown>[] | []>(starting: T): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(starting);
  return Promise.all(starting);
}

async function stopAll(containers: readonly StartedTestContainer[], network: StartedNetwork): Promise<void> {
  // A container that does not stop must not block the others. Removing the network then fails with a message.
  await Promise.allSettled(containers.map((container) => container.stop()));
  await network.stop();
}

/** A started ensemble. `stop` stops all its containers and removes its network. */
export class StartedEstateEnsemble implements StartedEstate {
  readonly #members: Members;
  readonly #redis: StartedTestContainer;
  readonly #broker: StartedBrokerContainer;
  readonly #stop: () => Promise<void>;

  constructor({
    redis,
    broker,
    stop,
    ...members
  }: Members & { readonly redis: StartedTestContainer; readonly broker: StartedBrokerContainer; readonly stop: () => Promise<void> }) {
    this.#members = members;
    this.#redis = redis;
    this.#broker = broker;
    this.#stop = stop;
  }

  /** Brokers for a Kafka client in the test: `['localhost:32770']`. */
  getKafkaBrokers(): readonly string[] {
    return this.#broker.getBrokers();
  }

  /** Address for a Redis client in the test: `redis://localhost:32771`. */
  getRedisUrl(): string {
    return `redis://${this.#redis.getHost()}:${this.#redis.getMappedPort(REDIS_PORT)}`;
  }

  /** Container of an application, to stop it or read its log. When the estate is one container, it is this container. */
  getContainer(member: EnsembleMember): StartedTestContainer {
    return this.#members.containers.get(member) ?? this.#members.gateway;
  }

  getGatewayUrl(): string {
    return urlOf(this.#members.gateway, GATEWAY_PORT);
  }

  getTouchpointUrl(): string {
    return urlOf(this.#members.touchpoint, TOUCHPOINT_PORT);
  }

  getPortalUrl(): string {
    return urlOf(this.#members.touchpoint, PORTAL_PORT);
  }

  getTouchpointAccess(): TouchpointAccess {
    return DEMO_TOUCHPOINT;
  }

  getCredentials(): EstateCredentials {
    return DEMO_CREDENTIALS;
  }

  createRehearsal(how?: NewRehearsal): Promise<EstateRehearsal> {
    return EstateRehearsal.create({ gateway: this.getGatewayUrl(), credentials: DEMO_CREDENTIALS }, how);
  }

  createClient(rehearsal?: string): EstateClient {
    return clientOn({ gateway: this.getGatewayUrl(), credentials: DEMO_CREDENTIALS }, rehearsal);
  }

  harden(story: HardenStory, choices?: HardenChoices): Promise<HardenRun> {
    return harden({ gateway: this.getGatewayUrl(), credentials: DEMO_CREDENTIALS }, story, choices);
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

const urlOf = (container: StartedTestContainer, port: number): string => `http://${container.getHost()}:${container.getMappedPort(port)}`;
