import { z } from 'zod';
import { type Application, applicationNames } from '../catalog/applications.ts';
import { isIdleExpiry } from '../domain/duration.ts';
import { DEFAULT_OUTBOUND, outboundAllow } from '../http/outbound.ts';
import { HOST_PATTERN } from '../process/own-hosts.ts';
import { WORLD_BYTES } from '../store/ports/plan.ts';
import { swapVariables } from './swap-variables.ts';

const WholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) => {
  const remedy = `it takes a whole number ${most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`}`;
  return z.string().regex(/^\d+$/, remedy).transform(Number).pipe(z.number().min(least, remedy).max(most, remedy));
};
const OneOf = <const Words extends readonly string[]>(words: Words) => z.enum(words, `it takes one of ${words.join(', ')}`);
const Port = WholeNumber(0, 65_535);
const PerMinute = WholeNumber(1);
const Flag = OneOf(['true', 'false']).transform((value) => value === 'true');
const Url = z.url({ protocol: /^https?$/, error: 'it takes an address like http://oms:8080' }).transform((url) => url.replace(/\/$/, ''));
const IdleExpiry = z.string().refine(isIdleExpiry, 'it takes an ISO 8601 duration from PT1S to P366D, like PT24H');
const isBroker = (text: string): boolean => {
  const [, port] = /^[^\s:/]+:(\d{1,5})$/.exec(text) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535;
};
const Secret = z.string().min(32, 'it takes 32 characters or more');

/** An origin as a browser sends it: in lower case, without a default port. */
function originIn(text: string): string | undefined {
  if (text === 'loopback' || text === 'none') return text;
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url && url.href === `${url.origin}/` && !url.hostname.includes('*') ? url.origin : undefined;
}

export const variables = {
  SERVICE: z
    .string()
    .optional()
    .describe('The process to start: one application, `gateway` or `touchpoint-mock`. Without it, the whole estate starts in one process.'),
  NODE_ENV: z
    .string()
    .refine((value) => value === 'production' || !/^prod/i.test(value), 'it takes production, or a word that cannot be mistaken for it')
    .default('development')
    .describe(
      'In `production`, demo credentials are refused even on the loopback address, unless they are allowed or `FIXTURES_DIR` replaces them.',
    ),
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe(
      'Address to listen on; `127.0.0.1` includes `[::1]`. `0.0.0.0`, as in the image, is reachable by others; then the demo credentials must be allowed or replaced.',
    ),
  PORT: Port.default(8080).describe('Port of an application in a separate process.'),
  GATEWAY_PORT: Port.default(8080).describe('Port of the gateway.'),
  TOUCHPOINT_PORT: Port.default(15_115).describe('Port of the touchpoint mock.'),
  PORTAL_PORT: Port.default(15_116).describe('Port of the touchpoint portal.'),
  PORTAL_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Listening address of the portal. The portal shows the mock’s key, so keep it local.'),
  ALLOWED_HOSTS: z
    .string()
    .transform((hosts) => hosts.split(',').map((host) => host.trim()))
    .refine((hosts) => hosts.every((host) => HOST_PATTERN.test(host)), 'it takes names without port, separated by commas')
    .default([])
    .describe(
      'Host names for the portal and the gateway’s documents. `localhost`, addresses and names without a dot are always permitted. Separated by commas; `.example.com` includes its subdomains, `*` is any name.',
    ),
  CORS_ORIGINS: z
    .string()
    .transform((origins) => origins.split(',').map((origin) => originIn(origin.trim())))
    .refine(
      (origins) => (origins.length === 1 && origins[0] === 'none') || origins.every((origin) => origin !== undefined && origin !== 'none'),
      'it takes origins without a path, like https://shop.example.com, separated by commas; loopback for every port of this machine; or none',
    )
    .transform((origins) => origins.flatMap((origin) => (origin === undefined || origin === 'none' ? [] : [origin])))
    .optional()
    .describe(
      'Origins whose pages may call the gateway from a browser (CORS), separated by commas; `loopback` stands for `localhost`, `127.0.0.1` and `[::1]` on any port, `none` for no origin. Default: `loopback`, or `none` with NODE_ENV=production.',
    ),
  OUTBOUND_ALLOW: z
    .string()
    .default(DEFAULT_OUTBOUND)
    .transform((text, context) => {
      const allow = outboundAllow(text);
      if (allow) return allow;
      const message = 'it takes names (also *.team-a.svc), networks like 10.1.0.0/16, loopback, private or public, separated by commas';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .describe(
      'Addresses that registered webhooks and swapped applications may have: names (`*.team-a.svc` stands for all names below), networks, `loopback`, `private`, `public`, separated by commas. Link-local and other special addresses, such as a cloud’s service for metadata, and the estate’s own listeners are never called.',
    ),
  LOG_LEVEL: OneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('warn')
    .describe('`trace` to `fatal`, or `silent`: JSON lines on standard output, readable lines on a terminal; `info` in the image.'),
  MOCK_STORE_KEY: z
    .string()
    .min(8, 'it takes 8 to 200 characters')
    .max(200, 'it takes 8 to 200 characters')
    .regex(/^[\x21-\x7e]*$/, 'it takes visible ASCII without blanks, to fit into a header')
    .default('demo-store-key')
    .describe('Store key of the touchpoint mock.'),
  MOCK_LANES: z
    .string()
    .default('SCO-01')
    .transform((lanes) => lanes.split(',').map((lane) => lane.trim()))
    .refine((lanes) => lanes.every((lane) => lane !== ''), 'it names lanes, separated by commas')
    .describe('Lanes of the touchpoint mock, separated by commas.'),
  FIXTURES_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Folder with your own data: files, overlays or CSV. For missing files, the estate uses its own.'),
  JOURNAL_HOPS: WholeNumber(100, 100_000)
    .default(5_000)
    .describe('Maximum number of hops in the journal of a rehearsal. A full journal discards its oldest traces.'),
  JOURNAL_BYTES: WholeNumber(65_536, 1_073_741_824)
    .default(8 * 1024 * 1024)
    .describe(
      'Maximum number of characters in the journal of a rehearsal. With state in memory, it is at most a third of the memory that is left.',
    ),
  JOURNAL: OneOf(['on', 'off']).default('on').describe('`off` records no hops, for load tests. `/_control/journal` then stays empty.'),
  ALLOW_DEMO_CREDENTIALS: Flag.default(false).describe(
    'Accepts the demo credentials although others can reach `HOST` or NODE_ENV is `production`. The start logs a warning.',
  ),
  TRANSPORT: OneOf(['process', 'http'])
    .default('process')
    .describe(
      'How a gateway and applications that share a process call each other: `process` passes calls without a connection, `http` sends them over loopback. Separate processes always use HTTP.',
    ),
  CONSOLE: OneOf(['on', 'off'])
    .default('on')
    .describe('`off` removes the console: nothing is under `/console`, and browsers get the index at `/` too.'),
  STRICT_RESPONSES: Flag.default(false).describe('Refuses answers with undeclared members instead of filtering them.'),
  RATE_LIMIT_PER_ADDRESS: PerMinute.default(300_000).describe('Requests per minute and client address before 429.'),
  RATE_LIMIT_PER_KEY: PerMinute.default(300_000).describe('Requests per minute and credential before 429.'),
  DRAIN_DELAY_MS: WholeNumber(0, 60_000)
    .default(0)
    .describe('How long a stopping process still serves requests after it reports not ready; 5000 in Kubernetes.'),
  OUTBOX_LIMIT: WholeNumber(1)
    .default(100_000)
    .describe(
      'Unsent events that an application keeps per rehearsal while Kafka is unavailable. Beyond that, changes are refused with 503.',
    ),
  MAX_REHEARSALS: WholeNumber(1)
    .default(500)
    .describe('Maximum number of rehearsals. One more is refused with 429, which names the rehearsal that was idle longest.'),
  MAX_REHEARSAL_BYTES: WholeNumber(1_000_000)
    .default(WORLD_BYTES)
    .describe(
      'Maximum size of a rehearsal: the text of its objects, events and kept answers, in bytes. At this size, requests that change something are refused with 507; work that has begun may use a quarter more. With state in memory, the limit is at most a sixth of the heap, and a third of what is free of three quarters of it. Above three fifths, no rehearsal is created.',
    ),
  MAX_SNAPSHOTS: WholeNumber(1).default(50).describe('Maximum number of kept snapshots. One more is refused with 409.'),
  MAX_SNAPSHOT_BYTES: WholeNumber(1_000_000)
    .default(32 * 1_048_576)
    .describe(
      'Maximum size of the file of a snapshot in bytes, and of the body that uploads it. The store keeps it compressed, to about a tenth. The gateway checks a file in a thread with up to sixteen times this memory, beside its own 200 MiB.',
    ),
  REHEARSAL_IDLE_EXPIRY: IdleExpiry.default('PT24H').describe(
    'ISO 8601 duration without use after which a rehearsal ends, unless it was created with `idleExpiry` or `keep`. `default` never ends.',
  ),
  REDIS_URL: z
    .string()
    .refine(
      isRedisUrl,
      'it takes redis://[user:password@]host:port[/db] with a number as db, or several nodes of a cluster, without db, separated by commas; % in a password is written as %25',
    )
    .optional()
    .describe(
      'State in Redis: `redis://[user:password@]host:port[/db]`. For a cluster, several separated by commas, or one with the prefix `cluster:`.',
    ),
  REDIS_PASSWORD: z
    .string()
    .optional()
    .describe('Password of Redis, as it is. It takes the place of a percent-encoded one in `REDIS_URL`.'),
  REDIS_PASSWORD_FILE: z.string().optional().describe('File with the password of Redis, in place of `REDIS_PASSWORD`.'),
  REDIS_TLS_CA_FILE: z
    .string()
    .optional()
    .describe(
      'File with the certificates, in PEM, that Redis is verified with, for `rediss://`. Default: the certificate authorities of Node.',
    ),
  KAFKA_BROKERS: z
    .string()
    .transform((brokers) => brokers.split(',').map((broker) => broker.trim()))
    .refine((brokers) => brokers.every(isBroker), 'it takes host:port, with a port up to 65535, several separated by commas')
    .optional()
    .describe('Events on Kafka: `host:port`, several separated by commas.'),
  KAFKA_TLS: Flag.default(false).describe('TLS to the brokers.'),
  KAFKA_TLS_CA_FILE: z
    .string()
    .optional()
    .describe('File with the certificates, in PEM, that brokers are verified with. Default: the certificate authorities of Node.'),
  KAFKA_SASL_MECHANISM: OneOf(['plain', 'scram-sha-256', 'scram-sha-512'])
    .optional()
    .describe('Login at the brokers, with user name and password.'),
  KAFKA_SASL_USERNAME: z.string().min(1).optional().describe('User name for the brokers.'),
  KAFKA_SASL_PASSWORD: z.string().min(1).optional().describe('Password for the brokers.'),
  KAFKA_SASL_PASSWORD_FILE: z.string().optional().describe('File with the password for the brokers, in place of `KAFKA_SASL_PASSWORD`.'),
  KAFKA_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{0,100}$/, 'it takes letters, digits, dots, hyphens and underscores, at most 100')
    .default('')
    .describe('Prefix of all topics and consumer groups, like `team-a.`, for a broker that is shared with others.'),
  ESTATE_TOKEN: Secret.optional().describe('Authenticates the processes of one estate to each other. All of them need the same token.'),
  CREDENTIAL_PEPPER: Secret.optional().describe(
    'The gateway hashes credentials with this secret. Without it, credentials of rehearsals are lost when the process ends.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Url.optional().describe('Receiver of traces, by OTLP over HTTP. Without it, there are no traces.'),
  OTEL_METRICS_EXPORTER: OneOf(['none', 'otlp']).default('none').describe('`otlp` sends the metrics to that receiver too.'),
  OTEL_METRIC_EXPORT_INTERVAL: WholeNumber(1_000, 3_600_000).default(60_000).describe('Milliseconds between two exports of the metrics.'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .transform(headersIn)
    .refine((headers) => headers !== undefined, 'it takes name=value, several separated by commas, with values percent-encoded')
    .optional()
    .describe('Headers for that receiver: `name=value`, several separated by commas.'),
  GATEWAY_URL: Url.default('http://gateway:8080').describe(
    'Address of the gateway. Applications in separate processes send webhooks to it.',
  ),
};

/** The variable with an application's address: `OMS_URL` for `oms`. */
export const urlVariable = (application: Application): string => `${application.toUpperCase().replaceAll('-', '_')}_URL`;

export const urls = Object.fromEntries(
  applicationNames.map((application) => [
    urlVariable(application),
    Url.default(`http://${application}:8080`).describe(`Where the processes of the estate find ${application}.`),
  ]),
);

export const variablesByName: Readonly<Record<string, z.ZodType>> = { ...variables, ...urls, ...swapVariables };

/** Whether every part of an address of Redis, or of a list of cluster nodes, has an effect: a part that would be ignored is a mistake. */
function isRedisUrl(text: string): boolean {
  const isMarked = text.startsWith('cluster:');
  const nodes = text.replace(/^cluster:/, '').split(/\s*,\s*/);
  return nodes.every((node) => isNode(node, isMarked || nodes.length > 1));
}

function isNode(text: string, isOfCluster: boolean): boolean {
  if (!/^rediss?:\/\/[^/]/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.search !== '' || url.hash !== '') return false;
  return (isOfCluster ? /^\/?0?$/ : /^(\/\d{0,5})?$/).test(url.pathname) && isEncoded(url.username) && isEncoded(url.password);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The headers in a list of `name=value`. @returns undefined when an entry cannot be sent as a header */
function headersIn(list: string): Readonly<Record<string, string>> | undefined {
  const entries = list.split(',').filter((entry) => entry.trim() !== '');
  const headers = entries.map(headerIn).filter((header) => header !== undefined);
  return headers.length === entries.length ? Object.fromEntries(headers) : undefined;
}

function headerIn(entry: string): readonly [name: string, value: string] | undefined {
  const [, name, encoded] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=(.+)$/s.exec(entry) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  try {
    const value = decodeURIComponent(encoded.trim());
    return /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) ? [name, value] : undefined;
  } catch {
    return undefined;
  }
}

/** The default of a variable: as text where its value is an object. */
export function presetOf(schema: z.ZodType): unknown {
  const { data } = schema.safeParse(undefined);
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).default;
}
