import { z } from 'zod';
import { type Application, applicationNames } from '../shared/catalog/applications.ts';
import { isSwapName, swapVariables, unknownSwapVariable } from '../shared/configuration/swap-variables.ts';
import { urls, urlVariable, variables, variablesByName } from '../shared/configuration/variables.ts';
import type { EventServers } from '../shared/contract/asyncapi/document.ts';
import { isMisspelt } from '../shared/domain/nearest-word.ts';
import { StartError } from './start-error.ts';

/** Values of `SERVICE`. Processes of one estate, except the touchpoint mock, share their state in Redis and their events on Kafka. */
export const startableServices = ['gateway', ...applicationNames, 'touchpoint-mock'] as const;
export type StartableService = (typeof startableServices)[number];

const Variables = z.object(variables).and(z.object({ ...urls, ...swapVariables }));
export type Configuration = Readonly<Omit<z.output<z.ZodObject<typeof variables>>, 'SERVICE'>> & {
  readonly SERVICE?: StartableService;
  readonly addressOf: (application: Application) => string;
};

/** An unknown name with one of these prefixes may be meant for the estate, or for another program. */
const OWN_PREFIX = /^(REDIS|KAFKA|GATEWAY|TOUCHPOINT|PORTAL|MOCK|RATE_LIMIT|REHEARSAL|CORS|SWAP)_/;

/**
 * A variable that looks like a misspelling of one of these names is an error. Short names and Node's names are left out: variables of other
 * programs resemble them.
 */
const CHECKED_NAMES = Object.keys(variablesByName).filter((name) => name.length >= 9 && name.includes('_') && name !== 'NODE_ENV');

/** @throws StartError with a line for each mistake, which names the variable */
export function readConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  const unknown = misspeltNames(environment);
  const given = Object.fromEntries(
    Object.keys(variablesByName).flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' || isServiceLink(name, value) ? [] : [[name, value]];
    }),
  );
  const parsed = Variables.safeParse(given);
  const unusable = (parsed.error?.issues ?? []).map(
    ({ path, message }) => `${describeValue(String(path[0]), given)} cannot be used: ${message}.`,
  );
  const mistakes = [...unknown, ...new Set(unusable)];
  if (mistakes.length > 0 || !parsed.success) throw new StartError(mistakes.join('\n'));
  const { SERVICE, REDIS_URL, REDIS_PASSWORD } = parsed.data;
  if (SERVICE !== undefined && !isStartable(SERVICE)) {
    throw new StartError(
      `SERVICE=${SERVICE} is unknown; choose one of ${startableServices.join(', ')}, or remove it to start the whole estate.`,
      64,
    );
  }
  refuseMisplacedRedis(parsed.data);
  const configuration: Configuration = Object.freeze({
    ...parsed.data,
    REDIS_URL: REDIS_PASSWORD === undefined ? REDIS_URL : withPassword(REDIS_URL, REDIS_PASSWORD, 'REDIS_PASSWORD'),
    SERVICE,
    addressOf: (application: Application) => (parsed.data as Record<string, unknown>)[urlVariable(application)] as string,
  });
  refuseIncomplete(configuration);
  refuseMisplaced(configuration, given);
  refuseIncompleteKafka(configuration);
  refuseIncompleteExport(configuration);
  return configuration;
}

const isStartable = (name: string): name is StartableService => (startableServices as readonly string[]).includes(name);

/** Repeats the value unless it is secret. */
const describeValue = (name: string, given: Readonly<Record<string, string | undefined>>): string =>
  /TOKEN|PEPPER|PASSWORD|STORE_KEY|REDIS_URL|HEADERS/.test(name) ? name : `${name}=${given[name]}`;

/** Names that Kubernetes and Docker derive from another service, such as REDIS_SERVICE_HOST and REDIS_PORT_6379_TCP_ADDR. */
const LINK_NAME = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
const LINK_VALUE = /^(?:tcp|udp|sctp):\/\//;

/** A service named `gateway` in the same namespace sets GATEWAY_PORT to an address, which is not a port. */
const isServiceLink = (name: string, value = ''): boolean => LINK_NAME.test(name) || (name.endsWith('_PORT') && LINK_VALUE.test(value));

type Environment = Parameters<typeof readConfiguration>[0];

function misspeltNames(environment: Environment): readonly string[] {
  return Object.keys(environment).flatMap((name) => {
    if (name in variablesByName || isServiceLink(name, environment[name])) return [];
    if (isSwapName(name)) return [unknownSwapVariable(name)];
    const meant = nameMeant(name, environment);
    return meant === undefined ? [] : [`${name} is not a variable of the estate; did you mean ${meant}? Correct or remove it.`];
  });
}

/** Values that the image sets, as its Dockerfile has them. Nobody chose them, so they do not explain a misspelt variable beside them. */
export const IMAGE_VALUES: Readonly<Record<string, string>> = { PORTAL_HOST: '0.0.0.0', LOG_LEVEL: 'info' };

const isChosen = (name: string, environment: Environment): boolean =>
  environment[name] !== undefined && environment[name] !== IMAGE_VALUES[name];

const nameMeant = (name: string, environment: Environment): string | undefined =>
  CHECKED_NAMES.find((known) => isMisspelt(name, known) && !isChosen(known, environment));

/** Variables that begin like variables of the estate and have no effect. They may belong to other programs. */
export const foreignVariables = (environment: Environment): readonly string[] =>
  Object.keys(environment).filter(
    (name) =>
      OWN_PREFIX.test(name) &&
      !(name in variablesByName || isServiceLink(name, environment[name]) || isSwapName(name)) &&
      nameMeant(name, environment) === undefined,
  );

function refuseIncomplete({ SERVICE, ...configuration }: Configuration): void {
  if (SERVICE === undefined || SERVICE === 'touchpoint-mock') return;
  const needed = ['REDIS_URL', 'ESTATE_TOKEN', SERVICE === 'gateway' ? 'CREDENTIAL_PEPPER' : 'KAFKA_BROKERS'] as const;
  const missing = needed.filter((name) => configuration[name] === undefined);
  if (missing.length === 0) return;
  throw new StartError(
    `SERVICE=${SERVICE} shares state and events with other processes: set ${missing.join(' and ')} too, or remove SERVICE to start the whole estate in one process.`,
  );
}

/** The address of Redis with its password, encoded. @param variable names the password in errors @throws StartError */
export function withPassword(address: string | undefined, password: string, variable: 'REDIS_PASSWORD' | 'REDIS_PASSWORD_FILE'): string {
  if (address === undefined) throw new StartError(`${variable} is for REDIS_URL: set the address too, or remove the password.`);
  const nodes = address.split(',').map((node) => {
    const [, scheme = '', user = '', rest = ''] = /^(\s*(?:cluster:)?rediss?:\/\/)(?:([^@]*)@)?(.*)$/.exec(node) ?? [];
    if (user.includes(':')) throw new StartError(`REDIS_URL has a password, and ${variable} another: remove one of them.`);
    return `${scheme}${user}:${encodeURIComponent(password)}@${rest}`;
  });
  return nodes.join(',');
}

/** @throws StartError for a variable that contradicts another one, or lacks it */
function refuseMisplacedRedis({ REDIS_URL, REDIS_PASSWORD, REDIS_PASSWORD_FILE, REDIS_TLS_CA_FILE }: z.output<typeof Variables>): void {
  if (REDIS_PASSWORD_FILE !== undefined) {
    if (REDIS_PASSWORD !== undefined)
      throw new StartError('REDIS_PASSWORD and REDIS_PASSWORD_FILE both have a password: remove one of them.');
    withPassword(REDIS_URL, '', 'REDIS_PASSWORD_FILE');
  }
  if (REDIS_TLS_CA_FILE !== undefined && !REDIS_URL?.includes('rediss://'))
    throw new StartError('REDIS_TLS_CA_FILE is for TLS: write REDIS_URL as rediss://host:port, or remove the file.');
}

/** When one process runs the whole estate, applications find each other without these variables. */
function refuseMisplaced({ SERVICE }: Configuration, given: Readonly<Record<string, unknown>>): void {
  if (SERVICE !== undefined) return;
  const [address] = [...Object.keys(urls), 'GATEWAY_URL'].filter((name) => name in given);
  if (address !== undefined) {
    throw new StartError(
      `${address} is the address of another process, but the whole estate runs in this one. Remove it, or choose one application with SERVICE.`,
    );
  }
  if ('PORT' in given) {
    throw new StartError(
      'PORT is for one application; the whole estate uses GATEWAY_PORT, TOUCHPOINT_PORT and PORTAL_PORT. Remove PORT, or choose one application with SERVICE.',
    );
  }
}

/** @throws StartError for metrics that have no receiver */
function refuseIncompleteExport({ OTEL_METRICS_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: Configuration): void {
  if (exporter !== 'none' && endpoint === undefined)
    throw new StartError(`OTEL_METRICS_EXPORTER=${exporter} needs OTEL_EXPORTER_OTLP_ENDPOINT too.`);
}

/** @throws StartError for a variable that lacks another one */
function refuseIncompleteKafka(configuration: Configuration): void {
  const { KAFKA_BROKERS, KAFKA_TLS, KAFKA_TLS_CA_FILE, SERVICE } = configuration;
  const inVariable = configuration.KAFKA_SASL_PASSWORD !== undefined;
  if (inVariable && configuration.KAFKA_SASL_PASSWORD_FILE !== undefined)
    throw new StartError('KAFKA_SASL_PASSWORD and KAFKA_SASL_PASSWORD_FILE both have a password: remove one of them.');
  const password = inVariable ? 'KAFKA_SASL_PASSWORD' : 'KAFKA_SASL_PASSWORD_FILE';
  const sasl = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', password] as const;
  const given = sasl.filter((name) => configuration[name] !== undefined);
  const missing = sasl.filter((name) => configuration[name] === undefined);
  if (given.length > 0 && missing.length > 0)
    throw new StartError(`${given.join(' and ')} ${given.length === 1 ? 'needs' : 'need'} ${missing.join(' and ')} too.`);
  if (KAFKA_TLS_CA_FILE !== undefined && !KAFKA_TLS) throw new StartError('KAFKA_TLS_CA_FILE needs KAFKA_TLS=true.');
  // The gateway of separate processes has no broker. It names topics in its document.
  if (KAFKA_BROKERS !== undefined || SERVICE === 'gateway' || SERVICE === 'touchpoint-mock') return;
  const [idle] = [...given, ...(KAFKA_TLS ? ['KAFKA_TLS'] : []), ...(configuration.KAFKA_PREFIX === '' ? [] : ['KAFKA_PREFIX'])];
  if (idle !== undefined) throw new StartError(`${idle} is for KAFKA_BROKERS: set the brokers too, or remove it.`);
}

/** Origins whose pages may call the gateway. */
export const corsOriginsOf = ({ CORS_ORIGINS, NODE_ENV }: Configuration): readonly string[] =>
  CORS_ORIGINS ?? (NODE_ENV === 'production' ? [] : ['loopback']);

/** Where state and events are kept, in a form for programs. A separate gateway does not need the address of Kafka, but its applications do. */
export const adaptersInUse = ({ SERVICE, REDIS_URL, KAFKA_BROKERS }: Configuration) => ({
  store: REDIS_URL === undefined ? ('memory' as const) : ('redis' as const),
  events: KAFKA_BROKERS === undefined && SERVICE === undefined ? ('memory' as const) : ('kafka' as const),
});

/** Where this estate publishes events, for the AsyncAPI document. */
export const eventServers = (configuration: Configuration): EventServers =>
  adaptersInUse(configuration).events === 'memory'
    ? 'memory'
    : { kafka: configuration.KAFKA_BROKERS ?? [], isSecure: configuration.KAFKA_TLS, prefix: configuration.KAFKA_PREFIX };

const TITLES = { memory: 'memory', redis: 'Redis', kafka: 'Kafka' } as const;

/** Where state and events are kept, in words. */
export function adaptersOf(configuration: Configuration) {
  const { store, events } = adaptersInUse(configuration);
  return { state: TITLES[store], events: TITLES[events] };
}
