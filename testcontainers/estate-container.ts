import { resolve } from 'node:path';
import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import type { EstateClient } from '../rehearsal/estate-client.ts';
import { DEMO_CREDENTIALS, type EstateCredentials, EstateRehearsal, type NewRehearsal } from '../rehearsal/estate-rehearsal.ts';
import type { HardenRun } from '../rehearsal/harden/run.ts';
import { type HardenChoices, type HardenStory, harden } from '../rehearsal/harden.ts';
import { credentialsOf } from './fixture-credentials.ts';
import { explained, lastWords } from './start-failure.ts';
import {
  clientOn,
  DEMO_TOUCHPOINT,
  GATEWAY_PORT,
  PORTAL_PORT,
  type StartedEstate,
  TOUCHPOINT_PORT,
  type TouchpointAccess,
} from './started-estate.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

const FIXTURES_WITHIN = '/fixtures';
/** File mode: readable by the container's user, regardless of the owner outside. */
const READABLE = 0o755;

/** Waits until the server on a port reports that it is ready, or until the container ends. */
export const ready = (port: number) => Wait.forHttp('/readyz', port, { abortOnContainerExit: true }).forStatusCode(200);

/**
 * The whole estate in one container: gateway, applications and touchpoint mock in one process, state and events in its memory
 * unless a Redis and a Kafka are configured. Ports are chosen freely.
 */
export class EstateContainer extends GenericContainer {
  #credentials = DEMO_CREDENTIALS;
  #touchpoint = DEMO_TOUCHPOINT;
  #containerId: string | undefined;

  constructor(image: string) {
    super(image);
    this.withExposedPorts(GATEWAY_PORT, TOUCHPOINT_PORT, PORTAL_PORT)
      .withEnvironment({ ALLOW_DEMO_CREDENTIALS: 'true' })
      .withWaitStrategy(Wait.forAll([GATEWAY_PORT, TOUCHPOINT_PORT, PORTAL_PORT].map(ready)));
  }

  /** Uses your own retailer: a folder with files or overlays in place of the project's fixtures. Without credentials.json, the demo credentials apply. */
  withFixtures(folder: string): this {
    this.#credentials = credentialsOf(folder);
    return this.withCopyDirectoriesToContainer([{ source: resolve(folder), target: FIXTURES_WITHIN, mode: READABLE }]).withEnvironment({
      FIXTURES_DIR: FIXTURES_WITHIN,
    });
  }

  /** Log level of the container; `info` by default. */
  withLogLevel(level: LogLevel): this {
    return this.withEnvironment({ LOG_LEVEL: level });
  }

  /** Disables the journal of hops, which costs time and memory in a long test. */
  withoutJournal(): this {
    return this.withEnvironment({ JOURNAL: 'off' });
  }

  /** Key and lanes of the touchpoint mock. */
  withTouchpoint(access: Partial<TouchpointAccess>): this {
    this.#touchpoint = { ...this.#touchpoint, ...access };
    return this.withEnvironment({ MOCK_STORE_KEY: this.#touchpoint.storeKey, MOCK_LANES: this.#touchpoint.lanes.join(',') });
  }

  /** Keeps state in a Redis that the container can reach: `redis://redis:6379`. */
  withRedis(url: string): this {
    return this.withEnvironment({ REDIS_URL: url });
  }

  /** Sends events through a Kafka that the container can reach: `kafka:9092`. */
  withKafka(...brokers: readonly string[]): this {
    return this.withEnvironment({ KAFKA_BROKERS: brokers.join(',') });
  }

  protected override async containerCreated(containerId: string): Promise<void> {
    this.#containerId = containerId;
  }

  /** @throws EstateStartError with the mistake and the remedy, and with the last log lines of an estate that ran */
  override async start(): Promise<StartedEstateContainer> {
    const words = lastWords();
    const { logConsumer } = this;
    this.withLogConsumer((stream) => {
      words.follow(stream);
      logConsumer?.(stream);
    });
    const starting = { image: this.imageName.string, timeoutMs: this.startupTimeoutMs, words };
    const started = await explained(starting, () =>
      super.start().catch(async (error: unknown) => {
        // Report the first failure, not an unreadable log.
        if (this.#containerId !== undefined) await words.followEnded(this.#containerId).catch(() => undefined);
        throw error;
      }),
    );
    return new StartedEstateContainer(started, { credentials: this.#credentials, touchpoint: this.#touchpoint });
  }
}

export class StartedEstateContainer extends AbstractStartedContainer implements StartedEstate {
  readonly #credentials: EstateCredentials;
  readonly #touchpoint: TouchpointAccess;

  constructor(started: StartedTestContainer, access: { readonly credentials: EstateCredentials; readonly touchpoint: TouchpointAccess }) {
    super(started);
    this.#credentials = access.credentials;
    this.#touchpoint = access.touchpoint;
  }

  getGatewayUrl(): string {
    return this.#urlOf(GATEWAY_PORT);
  }

  getTouchpointUrl(): string {
    return this.#urlOf(TOUCHPOINT_PORT);
  }

  getPortalUrl(): string {
    return this.#urlOf(PORTAL_PORT);
  }

  getTouchpointAccess(): TouchpointAccess {
    return this.#touchpoint;
  }

  getCredentials(): EstateCredentials {
    return this.#credentials;
  }

  createRehearsal(how?: NewRehearsal): Promise<EstateRehearsal> {
    return EstateRehearsal.create({ gateway: this.getGatewayUrl(), credentials: this.#credentials }, how);
  }

  createClient(rehearsal?: string): EstateClient {
    return clientOn({ gateway: this.getGatewayUrl(), credentials: this.#credentials }, rehearsal);
  }

  harden(story: HardenStory, choices?: HardenChoices): Promise<HardenRun> {
    return harden({ gateway: this.getGatewayUrl(), credentials: this.#credentials }, story, choices);
  }

  #urlOf(port: number): string {
    return `http://${this.getHost()}:${this.getMappedPort(port)}`;
  }
}
