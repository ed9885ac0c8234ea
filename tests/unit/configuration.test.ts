import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { corsOriginsOf, foreignVariables, IMAGE_VALUES, readConfiguration } from '../../estate/configuration.ts';

const withValue = (variable: string, value: string) => () => readConfiguration({ [variable]: value });
const pairs = (lines: readonly string[]) => lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]);

const valid = [
  ...['REDIS_URL=redis://h', 'REDIS_URL=rediss://user:p%25w@h:6380/15', 'REDIS_URL=redis://[::1]:6379/'],
  ...['REDIS_URL=cluster:redis://h:7000', 'REDIS_URL=redis://h:7000, redis://i:7000', 'KAFKA_BROKERS=h:9092, i:65535'],
  ...['OTEL_EXPORTER_OTLP_HEADERS=api-key=abc%20d, x-scope=a=b', 'MAX_REHEARSALS=500', 'NODE_ENV=production', 'NODE_ENV=staging'],
  ...['CORS_ORIGINS=http://localhost:5173, https://shop.example.com/', 'CORS_ORIGINS=loopback,https://shop.example.com'],
  'CORS_ORIGINS=none',
];
test.each(pairs(valid))('The configuration accepts %s=%s', (variable, value) => expect(withValue(variable, value)).not.toThrow());

test('The configuration decodes the headers of a receiver of traces', () => {
  const { OTEL_EXPORTER_OTLP_HEADERS: headers } = readConfiguration({ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=abc%20d, x-scope=a=b' });
  expect(headers).toEqual({ 'api-key': 'abc d', 'x-scope': 'a=b' });
});

const invalid = [
  ...['REDIS_URL=redis://h/abc', 'REDIS_URL=redis://h/-1', 'REDIS_URL=redis://h/0/1', 'REDIS_URL=redis://h?db=1'],
  ...['REDIS_URL=redis://user:100%@h', 'REDIS_URL=cluster:redis://h/1', 'REDIS_URL=redis://h/1,redis://i/1', 'REDIS_URL=redis://h:99999'],
  ...['KAFKA_BROKERS=h:99999', 'KAFKA_BROKERS=h:0', 'OTEL_EXPORTER_OTLP_HEADERS=junk', 'OTEL_EXPORTER_OTLP_HEADERS=api key=a'],
  ...['OTEL_EXPORTER_OTLP_HEADERS=key=%zz', 'OTEL_EXPORTER_OTLP_HEADERS=key=a%0Ab', 'MAX_REHEARSALS=0x50', 'MAX_REHEARSALS=1e3'],
  ...['MAX_REHEARSALS=99999999999999999999', 'RATE_LIMIT_PER_KEY=0', 'NODE_ENV=prod', 'NODE_ENV=Production', 'TRANSPORT=grpc'],
  ...[
    'CONSOLE=maybe',
    'CORS_ORIGINS=*',
    'CORS_ORIGINS=https://*.example.com',
    'CORS_ORIGINS=shop.example.com',
    'CORS_ORIGINS=https://shop.example.com/cart',
  ],
  ...['CORS_ORIGINS=https://user@shop.example.com', 'CORS_ORIGINS=file:///index.html', 'CORS_ORIGINS=none,loopback'],
  ...[
    'CORS_ORIGINS=http://localhost:3000,',
    'ESTATE_TOKEN=tooshort',
    'KAFKA_BROKERS=kafka',
    'OMS_URL=oms',
    'GATEWAY_PORT=abc',
    'LOG_LEVEL=loud',
  ],
  ...['ALLOWED_HOSTS=estate.example.com:8080', 'REHEARSAL_IDLE_EXPIRY=24h', 'MOCK_STORE_KEY=abc  defgh'],
];
test.each(pairs(invalid))('The configuration refuses %s=%s with the valid form', (variable, value) =>
  expect(withValue(variable, value)).toThrow(new RegExp(`^${variable}(=.*)? cannot be used: it takes `)),
);

test.each([
  [{}, ['loopback']],
  [{ NODE_ENV: 'production' }, []],
  [{ CORS_ORIGINS: 'none' }, []],
  [{ NODE_ENV: 'production', CORS_ORIGINS: 'loopback' }, ['loopback']],
  [{ CORS_ORIGINS: 'HTTP://Shop.test:80/, https://shop.test:8443' }, ['http://shop.test', 'https://shop.test:8443']],
])('With %j, the gateway allows the origins %j', (environment, origins) =>
  expect(corsOriginsOf(readConfiguration(environment))).toEqual(origins),
);

const misspelt = [
  ...['LOG_LEVL=LOG_LEVEL', 'log_level=LOG_LEVEL', 'ALLOWED_HOST=ALLOWED_HOSTS', 'FIXTURE_DIR=FIXTURES_DIR'],
  ...['MAX_REHERSALS=MAX_REHEARSALS', 'ESTATE_TOKENS=ESTATE_TOKEN', 'CREDENTIALS_PEPPER=CREDENTIAL_PEPPER'],
  ...['STRICT_RESPONSE=STRICT_RESPONSES', 'ALLOW_DEMO_CREDENTIAL=ALLOW_DEMO_CREDENTIALS', 'PAYMENTS_HUB_URL=PAYMENT_HUB_URL'],
  ...[
    'OTEL_EXPORTER_OTLP_ENDPIONT=OTEL_EXPORTER_OTLP_ENDPOINT',
    'REDIS_URI=REDIS_URL',
    'KAFKA_BROKER=KAFKA_BROKERS',
    'GATEWAY_PROT=GATEWAY_PORT',
  ],
  ...['SWAP_CRM_URLS=SWAP_CRM_URL', 'MOCK_STORE_KEYS=MOCK_STORE_KEY', 'REDIS_PASWORD=REDIS_PASSWORD'],
];
test.each(pairs(misspelt))('The configuration refuses %s, and proposes %s', (given, meant) =>
  expect(withValue(given, 'x')).toThrow(`${given} is not a variable of the estate; did you mean ${meant}? Correct or remove it.`),
);

test('The configuration accepts a misspelt variable together with the correct one, because it belongs to another program', () =>
  expect(() => readConfiguration({ LOG_LEVEL: 'warn', LOG_LEVELS: 'all' })).not.toThrow());

test('The configuration refuses a misspelt variable beside the value that the image sets', async () => {
  const dockerfile = await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8');
  for (const [name, value] of Object.entries(IMAGE_VALUES)) {
    expect(dockerfile).toContain(` ${name}=${value}`);
    const misspelt = `${name}S`;
    expect(() => readConfiguration({ [name]: value, [misspelt]: 'x' })).toThrow(
      `${misspelt} is not a variable of the estate; did you mean ${name}?`,
    );
  }
  const checked = [...dockerfile.matchAll(/^(?:ENV| {3}) (\w+)=/gm)]
    .map(([, name = '']) => name)
    .filter((name) => /_/.test(name) && !name.startsWith('NODE_'));
  expect(checked.toSorted()).toEqual(Object.keys(IMAGE_VALUES).toSorted());
});

test('Variables of CI systems, shells and other programs do not stop the start', () => {
  const others = `CI HOSTNAME HOST_IP HOSTS PORTS NODE_VERSION NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS LOGLEVEL LOG_FORMAT LOG_FILE LOGNAME SERVICE_NAME
    SERVICES SERVICE_URL CMS_URL DB_URL POS_TAG OMS_TOKEN CRM_KEY JOURNAL_STREAM TRANSPORT_URL TRANSPORTS CONSOLES CONSOLE_LEVEL STRICT_MODE MAX_WORKERS
    OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_HEADERS OTEL_EXPORTER_OTLP_TIMEOUT OTEL_SERVICE_NAME
    OTEL_EXPORTER_JAEGER_ENDPOINT GITHUB_TOKEN GITHUB_ACTIONS GITHUB_SERVER_URL GITHUB_WORKSPACE RUNNER_OS RUNNER_TEMP ACTIONS_CACHE_URL CI_JOB_TOKEN CI_REGISTRY_URL
    CI_PROJECT_DIR GITLAB_USER_LOGIN BUILD_URL JENKINS_URL WORKSPACE AGENT_NAME SYSTEM_TEAMPROJECT TF_BUILD BUILDKITE_JOB_ID CIRCLE_SHA1 TRAVIS_BRANCH DRONE_BUILD_LINK
    PGHOST PGPORT DATABASE_URL HTTP_PROXY NO_PROXY FORCE_COLOR NO_COLOR TERM SHELL LC_ALL SSH_AUTH_SOCK XDG_RUNTIME_DIR DOCKER_HOST TESTCONTAINERS_HOST_OVERRIDE
    TESTCONTAINERS_RYUK_DISABLED npm_config_loglevel npm_package_name npm_lifecycle_event INIT_CWD npm_config_user_agent DRAIN_DELAY ESTATE_URL ESTATE_REHEARSAL
    ESTATE_ADMIN_TOKEN ESTATE_BEARER_TOKEN ESTATE_API_KEY ESTATE_IMAGE ESTATE_PACKAGE PUBLISH_ADDRESS BROKER_PORT DEBUG_REDIS_PORT ALLOWED_ORIGINS APP_URL`;
  const environment = Object.fromEntries(others.split(/\s+/).map((name) => [name, 'x']));
  expect(() => readConfiguration(environment)).not.toThrow();
});

/** What Kubernetes and Docker set for other services: each service of a namespace, or each link, by its name. */
const links = ['REDIS', 'KAFKA', 'GATEWAY', 'TOUCHPOINT', 'PORTAL', 'MOCK', 'OMS', 'PAYMENT_HUB', 'SWAP', 'REHEARSAL', 'CORS'].flatMap(
  (name) => [
    ...[
      `${name}_SERVICE_HOST=10.0.0.1`,
      `${name}_SERVICE_PORT=6379`,
      `${name}_SERVICE_PORT_HTTP_WEB=80`,
      `${name}_PORT=tcp://10.0.0.1:6379`,
    ],
    ...[`${name}_PORT_6379_TCP=tcp://10.0.0.1:6379`, `${name}_PORT_6379_TCP_PROTO=tcp`, `${name}_PORT_6379_TCP_PORT=6379`],
    ...[`${name}_PORT_6379_TCP_ADDR=10.0.0.1`, `${name}_PORT_53_UDP=udp://10.0.0.1:53`],
  ],
);

test('The links of Kubernetes and Docker to other services do not stop the start, and do not change the ports of the estate', () => {
  const environment = Object.fromEntries(pairs(links));
  expect(readConfiguration(environment)).toMatchObject({ GATEWAY_PORT: 8080, TOUCHPOINT_PORT: 15_115, PORTAL_PORT: 15_116 });
  expect(foreignVariables(environment)).toEqual([]);
  expect(() => readConfiguration({ GATEWAY_PORT: 'http://10.0.0.1' })).toThrow('GATEWAY_PORT=http://10.0.0.1 cannot be used: ');
});

test('Variables of other programs that begin like ours do not stop the start, and are reported', () => {
  const names = ['REDIS_HOST', 'KAFKA_HOME', 'KAFKA_OPTS', 'REDIS_PORT', 'MOCK_MODE', 'REHEARSAL_ROOM', 'SWAP_SIZE', 'CORS_MAX_AGE'];
  const environment = Object.fromEntries([...names, 'PATH', 'DATABASE_URL'].map((name) => [name, '1']));
  expect(() => readConfiguration(environment)).not.toThrow();
  expect(foreignVariables(environment)).toEqual(names);
});

test.each([
  ['redis://h:6379', 'redis://:p%40%25%2F%3A%22w@h:6379'],
  ['redis://user@h:6379/3', 'redis://user:p%40%25%2F%3A%22w@h:6379/3'],
  ['redis://h:1, redis://i:2', 'redis://:p%40%25%2F%3A%22w@h:1, redis://:p%40%25%2F%3A%22w@i:2'],
  ['cluster:rediss://h:1', 'cluster:rediss://:p%40%25%2F%3A%22w@h:1'],
])('REDIS_PASSWORD is encoded into the address %s', (REDIS_URL, expected) =>
  expect(readConfiguration({ REDIS_URL, REDIS_PASSWORD: 'p@%/:"w' }).REDIS_URL).toBe(expected),
);

test('REDIS_PASSWORD is refused together with another password, and without an address', () => {
  expect(() => readConfiguration({ REDIS_URL: 'redis://:a@h', REDIS_PASSWORD: 'b' })).toThrow('remove one of them');
  expect(() => readConfiguration({ REDIS_PASSWORD: 'b' })).toThrow('REDIS_PASSWORD is for REDIS_URL');
});

test.each([
  [
    { REDIS_URL: 'redis://h', REDIS_PASSWORD: 'a', REDIS_PASSWORD_FILE: 'f' },
    'REDIS_PASSWORD and REDIS_PASSWORD_FILE both have a password',
  ],
  [{ REDIS_URL: 'redis://:a@h', REDIS_PASSWORD_FILE: 'f' }, 'REDIS_URL has a password, and REDIS_PASSWORD_FILE another'],
  [{ REDIS_PASSWORD_FILE: 'f' }, 'REDIS_PASSWORD_FILE is for REDIS_URL'],
  [{ REDIS_URL: 'redis://h', REDIS_TLS_CA_FILE: 'f' }, 'write REDIS_URL as rediss://host:port'],
])('The files of Redis in %j are refused with the remedy', (given, sentence) => expect(() => readConfiguration(given)).toThrow(sentence));
