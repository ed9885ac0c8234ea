import { z } from 'zod';
import { applicationNames } from '../shared/catalog/applications.ts';

/** A start that cannot go on: one sentence for a person, and the exit code of sysexits.h. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: number;
  constructor(sentence: string, exitCode = 78) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/** What may be started by itself. Applications with shared state need Redis and Kafka for that. */
export const startableServices = ['gateway', ...applicationNames, 'touchpoint-mock'] as const;

const Port = z.coerce.number().int().min(0).max(65_535);
const PerMinute = z.coerce.number().int().min(1);
const Flag = z.enum(['true', 'false']).transform((value) => value === 'true');

const variables = {
  SERVICE: z.string().optional(),
  NODE_ENV: z.string().default('development'),
  HOST: z.string().min(1).default('127.0.0.1'),
  GATEWAY_PORT: Port.default(8080),
  TOUCHPOINT_PORT: Port.default(15_115),
  PORTAL_PORT: Port.default(15_116),
  PORTAL_HOST: z.string().min(1).default('127.0.0.1'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('warn'),
  MOCK_STORE_KEY: z.string().min(8).max(200).default('demo-store-key'),
  MOCK_LANES: z
    .string()
    .default('SCO-01')
    .transform((lanes) => lanes.split(',').map((lane) => lane.trim()))
    .refine((lanes) => lanes.every((lane) => lane !== ''), 'names lanes, separated by commas'),
  FIXTURES_DIR: z.string().min(1).optional(),
  JOURNAL: z.enum(['on', 'off']).default('on'),
  ALLOW_DEMO_CREDENTIALS: Flag.default(false),
  STRICT_RESPONSES: Flag.default(false),
  RATE_LIMIT_PER_ADDRESS: PerMinute.default(300_000),
  RATE_LIMIT_PER_KEY: PerMinute.default(300_000),
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(0),
  REDIS_URL: z.string().optional(),
  KAFKA_BROKERS: z.string().optional(),
};

const Variables = z.object(variables);
export type Configuration = Readonly<z.output<typeof Variables>>;

/**
 * The configuration of this process, read once.
 * @throws StartError naming the variable
 */
export function readConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  const given = Object.fromEntries(
    Object.keys(variables).flatMap((name) =>
      environment[name] === undefined || environment[name] === '' ? [] : [[name, environment[name]]],
    ),
  );
  const parsed = Variables.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new StartError(`${String(issue?.path[0])}=${String(given[String(issue?.path[0])])} cannot be used: ${issue?.message}.`);
  }
  const { SERVICE, REDIS_URL, KAFKA_BROKERS } = parsed.data;
  if (SERVICE !== undefined && !(startableServices as readonly string[]).includes(SERVICE)) {
    throw new StartError(
      `SERVICE=${SERVICE} is not one of the estate's; there are ${startableServices.join(', ')}. Leave it out to start the whole estate.`,
      64,
    );
  }
  if (REDIS_URL !== undefined || KAFKA_BROKERS !== undefined) {
    throw new StartError(
      `${REDIS_URL !== undefined ? 'REDIS_URL' : 'KAFKA_BROKERS'} is set, but this version keeps its state and events in memory; leave it out.`,
    );
  }
  if (SERVICE !== undefined && SERVICE !== 'touchpoint-mock') {
    throw new StartError(
      `SERVICE=${SERVICE} alone would share nothing with the others, since this version keeps its state in memory; leave SERVICE out to start the whole estate in one process.`,
    );
  }
  return Object.freeze(parsed.data);
}
