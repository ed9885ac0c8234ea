import { z } from 'zod';
import { type Application, applicationNames } from '../shared/catalog/applications.ts';
import { isIdleExpiry } from '../shared/domain/duration.ts';
import { HOST_PATTERN } from '../shared/process/own-hosts.ts';

/** A start that cannot go on: one sentence for a person, and the exit code of sysexits.h. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: number;
  constructor(sentence: string, exitCode = 78) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/** What may be started by itself. All but the touchpoint mock then share their state in Redis and their events on Kafka. */
export const startableServices = ['gateway', ...applicationNames, 'touchpoint-mock'] as const;
export type StartableService = (typeof startableServices)[number];

const Port = z.coerce.number().int().min(0).max(65_535);
const PerMinute = z.coerce.number().int().min(1);
const Flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const Url = z.url({ protocol: /^https?$/, error: 'it takes an address like http://oms:8080' }).transform((url) => url.replace(/\/$/, ''));
const IdleExpiry = z.string().refine(isIdleExpiry, 'it takes an ISO 8601 duration from PT1S to P366D, like PT24H');
const Secret = z.string().min(32, 'it takes 32 characters or more');

const variables = {
  SERVICE: z
    .string()
    .optional()
    .describe('What to start: one application, `gateway` or `touchpoint-mock` by itself; without it the whole estate in one process.'),
  NODE_ENV: z
    .string()
    .default('development')
    .describe('In `production` the demo credentials are refused, also on the loopback, unless allowed or replaced by `FIXTURES_DIR`.'),
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe(
      'Address to listen on; `0.0.0.0`, as in the image, lets others in, and then the demo credentials have to be allowed or replaced.',
    ),
  PORT: Port.default(8080).describe('Port of an application by itself.'),
  GATEWAY_PORT: Port.default(8080).describe('Port of the gateway.'),
  TOUCHPOINT_PORT: Port.default(15_115).describe('Port of the touchpoint mock.'),
  PORTAL_PORT: Port.default(15_116).describe('Port of the touchpoint portal.'),
  PORTAL_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address on which the portal listens; it shows the mock’s key, so keep it local.'),
  ALLOWED_HOSTS: z
    .string()
    .transform((hosts) => hosts.split(',').map((host) => host.trim()))
    .refine((hosts) => hosts.every((host) => HOST_PATTERN.test(host)), 'it takes names without port, parted by commas')
    .default([])
    .describe(
      'Names under which the portal and the gateway’s documents answer, besides `localhost`, addresses and names without a dot; several parted by commas, `.example.com` with all below it, `*` any.',
    ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('warn')
    .describe('`trace` to `fatal`, or `silent`: JSON lines on standard output; `info` in the image.'),
  MOCK_STORE_KEY: z.string().min(8).max(200).default('demo-store-key').describe('Store key of the touchpoint mock.'),
  MOCK_LANES: z
    .string()
    .default('SCO-01')
    .transform((lanes) => lanes.split(',').map((lane) => lane.trim()))
    .refine((lanes) => lanes.every((lane) => lane !== ''), 'it names lanes, separated by commas')
    .describe('Lanes of the touchpoint mock, separated by commas.'),
  FIXTURES_DIR: z.string().min(1).optional().describe('Folder with fixtures of your own.'),
  JOURNAL: z.enum(['on', 'off']).default('on').describe('`off` records no hops: for load tests; `/_sim/journal` then stays empty.'),
  ALLOW_DEMO_CREDENTIALS: Flag.default(false).describe(
    'Lets the demo credentials in although `HOST` lets others in, or NODE_ENV is `production`; the start warns of it.',
  ),
  STRICT_RESPONSES: Flag.default(false).describe('Refuses answers with undeclared members instead of filtering them.'),
  RATE_LIMIT_PER_ADDRESS: PerMinute.default(300_000).describe('Requests per minute and client address before 429.'),
  RATE_LIMIT_PER_KEY: PerMinute.default(300_000).describe('Requests per minute and credential before 429.'),
  DRAIN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe('How long a process that stops is not ready but still serves; 5000 in Kubernetes.'),
  OUTBOX_LIMIT: z.coerce
    .number()
    .int()
    .min(1)
    .default(100_000)
    .describe('Events that an application keeps for a rehearsal while Kafka is away; beyond that it refuses changes with 503.'),
  MAX_REHEARSALS: z.coerce
    .number()
    .int()
    .min(1)
    .default(500)
    .describe('How many rehearsals there may be; one more is refused with 429, which names the one that was idle for the longest.'),
  REHEARSAL_IDLE_EXPIRY: IdleExpiry.default('PT24H').describe(
    'ISO 8601 duration without use after which a rehearsal ends that was created without `idleExpiry` or `keep`; `default` never ends.',
  ),
  REDIS_URL: z
    .string()
    .optional()
    .describe(
      'State in Redis: `redis://[user:password@]host:port[/db]`; several parted by commas, or `cluster:` before it, for a cluster.',
    ),
  KAFKA_BROKERS: z
    .string()
    .transform((brokers) => brokers.split(',').map((broker) => broker.trim()))
    .refine((brokers) => brokers.every((broker) => /^[^\s:/]+:\d{1,5}$/.test(broker)), 'it takes host:port, several parted by commas')
    .optional()
    .describe('Events on Kafka: `host:port`, several parted by commas.'),
  ESTATE_TOKEN: Secret.optional().describe('Authenticates the processes of one estate to each other; the same for all of them.'),
  CREDENTIAL_PEPPER: Secret.optional().describe(
    'Under which the gateway hashes credentials; without it those of rehearsals end with the process.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Url.optional().describe('Where traces go, by OTLP over HTTP; without it there are none.'),
  GATEWAY_URL: Url.default('http://gateway:8080').describe('Where applications by themselves send webhooks.'),
};

/** `OMS_URL`: where an application is, for those that are started by themselves. */
export const urlVariable = (application: Application): string => `${application.toUpperCase().replaceAll('-', '_')}_URL`;

const urls = Object.fromEntries(
  applicationNames.map((application) => [
    urlVariable(application),
    Url.default(`http://${application}:8080`).describe(`Where the processes of the estate find ${application}.`),
  ]),
);

/** Each variable that a process reads. */
export const variablesByName: Readonly<Record<string, z.ZodType>> = { ...variables, ...urls };

const Variables = z.object(variables).and(z.object(urls));
export type Configuration = Readonly<Omit<z.output<z.ZodObject<typeof variables>>, 'SERVICE'>> & {
  readonly SERVICE?: StartableService | undefined;
  readonly addressOf: (application: Application) => string;
};

/** Names that begin like this are ours: one that we do not know is a slip of the pen. */
const OURS = /^(REDIS|KAFKA|GATEWAY|TOUCHPOINT|PORTAL|MOCK|RATE_LIMIT|REHEARSAL)_/;

/**
 * The configuration of this process, read once.
 * @throws StartError naming the variable
 */
export function readConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  refuseUnknown(environment);
  const given = Object.fromEntries(
    Object.keys(variablesByName).flatMap((name) =>
      environment[name] === undefined || environment[name] === '' ? [] : [[name, environment[name]]],
    ),
  );
  const parsed = Variables.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new StartError(`${shown(String(issue?.path[0]), given)} cannot be used: ${issue?.message}.`);
  }
  const { SERVICE } = parsed.data;
  if (SERVICE !== undefined && !isStartable(SERVICE)) {
    throw new StartError(
      `SERVICE=${SERVICE} is not one of the estate's; there are ${startableServices.join(', ')}. Leave it out to start the whole estate.`,
      64,
    );
  }
  const configuration: Configuration = Object.freeze({
    ...parsed.data,
    SERVICE,
    addressOf: (application: Application) => (parsed.data as Record<string, unknown>)[urlVariable(application)] as string,
  });
  refuseIncomplete(configuration);
  refuseMisplaced(configuration, given);
  return configuration;
}

const isStartable = (name: string): name is StartableService => (startableServices as readonly string[]).includes(name);

/** What is secret is not repeated. */
const shown = (name: string, given: Readonly<Record<string, string | undefined>>): string =>
  /TOKEN|PEPPER|KEY|REDIS_URL/.test(name) ? name : `${name}=${given[name]}`;

function refuseUnknown(environment: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(environment)) {
    const prefix = OURS.exec(name)?.[0];
    if (prefix === undefined || name in variablesByName) continue;
    const known = Object.keys(variablesByName).filter((one) => one.startsWith(prefix));
    throw new StartError(`${name} is no variable of the estate; with ${prefix} begin ${known.join(', ')}. Correct it or take it out.`);
  }
}

function refuseIncomplete({ SERVICE, ...configuration }: Configuration): void {
  if (SERVICE === undefined || SERVICE === 'touchpoint-mock') return;
  const needed = ['REDIS_URL', 'ESTATE_TOKEN', SERVICE === 'gateway' ? 'CREDENTIAL_PEPPER' : 'KAFKA_BROKERS'] as const;
  const missing = needed.filter((name) => configuration[name] === undefined);
  if (missing.length === 0) return;
  throw new StartError(
    `SERVICE=${SERVICE} by itself shares its state and its events with the others: set ${missing.join(' and ')} too, or leave SERVICE out to start the whole estate in one process.`,
  );
}

/** What only a process by itself reads would change nothing in an estate whose applications find each other without it. */
function refuseMisplaced({ SERVICE }: Configuration, given: Readonly<Record<string, unknown>>): void {
  if (SERVICE !== undefined) return;
  const [address] = [...Object.keys(urls), 'GATEWAY_URL'].filter((name) => name in given);
  if (address !== undefined) {
    throw new StartError(
      `${address} tells an application that runs by itself where another process of the estate is; here everything runs in one process and would not use it. Take it out, or choose one application with SERVICE.`,
    );
  }
  if ('PORT' in given) {
    throw new StartError(
      'PORT is that of an application by itself; the estate takes GATEWAY_PORT, TOUCHPOINT_PORT and PORTAL_PORT. Take PORT out, or choose one application with SERVICE.',
    );
  }
}

/** Where state and events are, in words. */
export const adaptersOf = ({ REDIS_URL, KAFKA_BROKERS }: Configuration) => ({
  state: REDIS_URL === undefined ? 'memory' : 'Redis',
  events: KAFKA_BROKERS === undefined ? 'memory' : 'Kafka',
});
