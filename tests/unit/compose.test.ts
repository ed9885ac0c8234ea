import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readConfiguration, startableServices } from '../../estate/configuration.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { variablesByName } from '../../shared/configuration/variables.ts';
import { composeFile } from '../support/compose-file.ts';
import { expectKept } from '../support/kept-list.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

const { services } = composeFile('docker-compose.yml');
const named = (name: string) => services[name] ?? { image: '' };
const running = Object.entries(services).filter(([, { profiles }]) => profiles === undefined);
const ofEstate = running.filter(([, { environment }]) => environment?.['SERVICE'] !== undefined);
const of = (setting: string): unknown[] => Object.values(services).map((service) => service[setting]);

/** `${NAME:-default}` as compose reads it when NAME is not set. */
const withDefaults = (text: string | number): string => String(text).replace(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');

test('The compose file starts every application, the gateway and the touchpoint mock, each under its own name, and Kafka and Redis', () => {
  expectKept(
    'docker-compose.yml, services',
    ofEstate.map(([name]) => name),
    startableServices,
  );
  for (const [name, { environment }] of ofEstate) expect(environment?.['SERVICE']).toBe(name);
  expectKept(
    'docker-compose.yml, services',
    running.map(([name]) => name),
    [...startableServices, 'kafka', 'redis'],
  );
});

test('The compose file gives each process a valid configuration, with only variables that it reads', () => {
  for (const [name, { environment = {} }] of ofEstate) {
    expect(Object.keys(environment).filter((variable) => !(variable in variablesByName))).toEqual([]);
    const given = Object.fromEntries(Object.entries(environment).map(([variable, value]) => [variable, withDefaults(value)]));
    expect(readConfiguration(given)).toMatchObject({ SERVICE: name, LOG_LEVEL: 'info' });
  }
});

test('The compose file has only variables with a default, which .env.example and the documentation have too', () => {
  const asked = [...textOf('docker-compose.yml').matchAll(/\$\{(?!…)([^}]*)\}/g)].map(([, text = '']) => text.replace(':-', '='));
  const shown = textOf('.env.example')
    .split('\n')
    .filter((line) => /^[A-Z_]+=/.test(line));
  expect(shown.toSorted()).toEqual([...new Set(asked)].toSorted());
  expect(asked.filter((text) => !textOf('docs/how-to/compose.md').includes(`\`${text.split('=')[0]}\``))).toEqual([]);
});

test('The compose file gives every container only the privileges that it needs', () => {
  const logging = { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } };
  const healthcheck = { test: expect.arrayContaining([expect.stringMatching(/^CMD/)]), interval: expect.any(String) };
  const privileges = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], init: true };
  const limits = { pids_limit: expect.any(Number), mem_limit: expect.stringMatching(/^\d+[mg]$/), tmpfs: expect.arrayContaining(['/tmp']) };
  for (const service of Object.values(services)) expect(service).toMatchObject({ ...privileges, ...limits, logging, healthcheck });
});

test('The service that "Your own service" adds reaches the gateway in its network, once that is healthy', () => {
  const [, text = ''] = /```yaml\n([\s\S]*?)^```$/m.exec(textOf('docs/how-to/own-service.md')) ?? [];
  const added = (parse(text) as ReturnType<typeof composeFile>).services['my-service'];
  const addresses = added?.environment ?? {};
  expect([...new Set(Object.values(addresses))]).toEqual(['http://gateway:8080']);
  const read = textOf('examples/own-service/service.mjs');
  expect(Object.keys(addresses).filter((name) => !read.includes(name))).toEqual([]);
  expect(added?.['depends_on']).toEqual({ gateway: { condition: 'service_healthy' } });
  expect(named('gateway')['healthcheck']).toBeDefined();
  expect(added?.['volumes']).toEqual(['./examples/own-service:/app:ro']);
  expect(added?.['command']).toEqual(['node', '/app/service.mjs']);
});

test('The compose file names no container, so that it can run twice, and an application in replicas', () => {
  expect(of('container_name').filter(Boolean)).toEqual([]);
  expect(of('hostname').filter(Boolean)).toEqual([]);
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
  expect(published.map(([name]) => name)).toEqual(['gateway', 'touchpoint-mock', 'kafka', 'debug-ports']);
});

test('The compose file publishes the gateway, the touchpoint, its portal and Kafka to this machine alone', () => {
  expect(named('gateway').ports?.map(withDefaults)).toEqual(['127.0.0.1:8080:8080']);
  expect(named('touchpoint-mock').ports?.map(withDefaults)).toEqual(['127.0.0.1:15115:15115', '127.0.0.1:15116:15116']);
  expect(named('kafka').ports?.map(withDefaults)).toEqual(['127.0.0.1:19092:19092']);
  const { KAFKA_ADVERTISED_LISTENERS: advertised } = named('kafka').environment ?? {};
  expect(withDefaults(advertised ?? '')).toContain('HOST://127.0.0.1:19092');
});

test('The compose file opens ports to other machines only with PUBLISH_ADDRESS, and never the portal, Kafka and Redis', () => {
  const published = Object.values({ ...services, ...composeFile('compose.replicas.yml').services }).flatMap(({ ports }) => ports ?? []);
  const everywhere = published
    .map((port) => port.replace(/^\$\{PUBLISH_ADDRESS:-127\.0\.0\.1\}/, '0.0.0.0'))
    .filter((port) => /^0\.0\.0\.0:/.test(port));
  expect(everywhere.map(withDefaults)).toEqual(['0.0.0.0:8080:8080', '0.0.0.0:15115:15115']);
  for (const port of published) expect(port).toMatch(/^(\$\{PUBLISH_ADDRESS:-127\.0\.0\.1\}|127\.0\.0\.1):/);
});

test('The compose file starts the applications after Kafka and Redis, and the gateway after every application', () => {
  const ready = { condition: 'service_healthy' };
  for (const name of applicationNames.filter((one) => one in services))
    expect(named(name).depends_on).toEqual({ kafka: ready, redis: ready });
  expectKept('docker-compose.yml, depends_on of the gateway', Object.keys(named('gateway').depends_on ?? {}), [
    ...applicationNames,
    'kafka',
    'redis',
  ]);
  for (const one of Object.values(named('gateway').depends_on ?? {})) expect(one).toEqual(ready);
});

test('The compose file uses one image for the whole estate, which one service builds', () => {
  const images = new Set(ofEstate.map(([, { image }]) => withDefaults(image)));
  expect([...images]).toEqual(['unified-commerce-estate:local']);
  const building = Object.entries(services).filter(([, { build }]) => build !== undefined);
  expect(building.map(([name]) => name)).toEqual(['gateway']);
});

test('The compose file keeps the data of Kafka and Redis, which evicts nothing, in volumes', () => {
  expect(named('redis')['volumes']).toEqual(['redis:/data']);
  expect(named('kafka')['volumes']).toContain('kafka:/var/lib/kafka/data');
  expect((named('redis')['command'] as string[]).join(' ')).toMatch(/--appendonly yes.* --maxmemory-policy noeviction/);
});

test('The compose file has a second file that sets three replicas of existing services', () => {
  const more = composeFile('compose.replicas.yml').services;
  expect(Object.keys(more).toSorted()).toEqual(['inventory-service', 'oms', 'sim']);
  for (const [name, one] of Object.entries(more)) {
    expect(applicationNames).toContain(name);
    expect(one['deploy']).toEqual({ replicas: 3 });
  }
});

test('The compact compose file gives one process the settings and ports of the gateway and the touchpoint mock', () => {
  const { gateway, ...others } = composeFile('compose.compact.yml').services;
  const { environment: _, ports: __, depends_on: needs, ...settings } = named('gateway');
  const { SERVICE: ___, ...environment } = { ...named('touchpoint-mock').environment, ...named('gateway').environment };
  const ports = [...(named('gateway').ports ?? []), ...(named('touchpoint-mock').ports ?? [])];
  const { kafka, redis } = needs ?? {};
  expect(gateway).toEqual({ ...settings, environment, ports, depends_on: { kafka, redis } });
  const given = Object.fromEntries(Object.entries(environment).map(([variable, value]) => [variable, withDefaults(value)]));
  expect(readConfiguration(given)).not.toHaveProperty('SERVICE', expect.anything());
  const borrowed = (service: string) => ({ extends: { file: 'docker-compose.yml', service } });
  expect(others).toEqual({ kafka: borrowed('kafka'), redis: borrowed('redis') });
});

const dockerfile = textOf('Dockerfile');

test('The image carries the version and the licence of the package', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  for (const label of [`version="${version}"`, 'licenses="Apache-2.0"']) expect(dockerfile).toContain(`org.opencontainers.image.${label}`);
});

test('The image runs as a numeric user, and node itself, without a shell between, and has a health check', () => {
  const [last = ''] = dockerfile.split(/^FROM /m).slice(-1);
  expect(last).toMatch(/^USER 1000:1000$/m);
  expect(last).toMatch(/^HEALTHCHECK .* CMD \["bash", "image\/health-check\.sh"\]$/m);
  expect(last).toMatch(/^CMD \["node", "--max-semi-space-size=4", "estate\/main\.ts"\]$/m);
  expect(last).not.toMatch(/^ENTRYPOINT/m);
  expect(last.match(/^RUN .*$/gm)).toEqual([expect.stringMatching(/^RUN rm -rf /)]);
});

test('The image builds without BuildKit', () => expect(dockerfile).not.toMatch(/^# *syntax=|--mount=|<<|--chmod|--link/m));

test('The image contains all files that the estate reads, and no test', () => {
  const taken = [...textOf('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
  const production = trackedFiles.filter((file) => /^(services|estate|gateway|shared|fixtures|rehearsal|ui|console|image)\//.test(file));
  expect(production.filter((file) => !taken.includes(file.split('/')[0] ?? ''))).toEqual([]);
  expect(taken.filter((path) => /test|bench|docs/.test(path))).toEqual(['docs/glossary.md']);
});
