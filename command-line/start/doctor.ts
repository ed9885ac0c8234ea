import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { Command } from 'commander';
import type { Configuration } from '../../estate/configuration.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { EstateCredentials } from '../../rehearsal/estate-rehearsal.ts';
import { print, printJson } from '../../shared/process/terminal.ts';
import { readinessOf, requireReady } from '../connection/ask.ts';
import { adminOption, againstOption, apiKeyOption, bearerOption, DEFAULT_URL, jsonOption } from '../connection/connection.ts';
import { type Access, refusedCredentials } from '../connection/credentials.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { withExample } from '../help.ts';
import { type Look, lookOf, progressOn } from '../output/table.ts';
import { hasEstateCode, loadEstateCode, remedy } from './estate-code.ts';

interface Options extends EstateCredentials {
  readonly against?: string;
  readonly json?: boolean;
}

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description(
      'Checks Node, configuration, fixtures, ports, Docker, Redis, Kafka, the running estate and the credentials, and names a remedy for each problem.',
    )
    .addOption(againstOption())
    .addOption(adminOption())
    .addOption(bearerOption())
    .addOption(apiKeyOption())
    .addOption(jsonOption());
  return withExample(command, 'doctor').action(examine);
}

async function examine({ against, json, ...credentials }: Options): Promise<void> {
  const progress = progressOn(process.stderr);
  progress.show('checking …');
  const isNamed = against !== undefined;
  const { configuration, findings: configured } = await configurationFindings();
  const address = against ?? (configuration ? `http://127.0.0.1:${configuration.GATEWAY_PORT}` : DEFAULT_URL);
  const [estate, docker, infrastructure] = await Promise.all([
    estateFindings({ ...credentials, against: address, isNamed }),
    dockerFinding(),
    configuration ? infrastructureFindings(configuration) : [],
  ]);
  const found = configuration ? await portFindings(configuration, address, estate) : [];
  // A user who names an estate starts none here.
  const ports = isNamed ? found.map((one) => (one.state === 'problem' ? { ...one, state: 'note' as const } : one)) : found;
  const findings = [nodeVersion(), ...configured, ...ports, docker, ...infrastructure, ...estate];
  progress.clear();
  const problems = findings.filter(({ state }) => state === 'problem');
  if (json) printJson({ healthy: problems.length === 0, findings }, 2);
  else print(show(findings, lookOf(process.stdout)));
  process.exitCode = problems.length === 0 ? EXIT.holds : EXIT.fails;
}

/** Checks the configuration and the fixtures that a start would use. */
async function configurationFindings(): Promise<{ readonly configuration?: Configuration; readonly findings: readonly Finding[] }> {
  if (!hasEstateCode()) return { findings: [note('The estate itself', 'not installed', `To start one here, ${remedy()}`)] };
  const { checkFixtures, explainStart, readConfiguration } = await loadEstateCode();
  try {
    const configuration = readConfiguration(process.env);
    const fixtures = await checkFixtures(configuration).then(
      () => ok('Fixtures', configuration.FIXTURES_DIR ?? 'the project’s fixtures'),
      (error: unknown) => problem('Fixtures', explainStart(error).text, 'Correct the files, or remove FIXTURES_DIR.'),
    );
    return { configuration, findings: [ok('Configuration', 'can be used'), fixtures] };
  } catch (error) {
    return { findings: [problem('Configuration', explainStart(error).text, 'Correct or remove these variables.')] };
  }
}

/** A running estate occupies its ports: they are not a problem. */
async function portFindings(configuration: Configuration, address: string, estate: readonly Finding[]): Promise<readonly Finding[]> {
  const ports = portsOf(configuration);
  const runs =
    estate.some(({ what, state }) => what === 'Estate' && state === 'ok') && new URL(address).port === String(configuration.GATEWAY_PORT);
  const own = new Set(runs ? ports.map(([, , , port]) => port) : []);
  return Promise.all(ports.map(([what, variable, host, port]) => portFinding(what, variable, host, port, own)));
}

const MARKS = { ok: ['green', 'ok     '], note: ['dim', 'note   '], problem: ['red', 'PROBLEM'] } as const;

function show(findings: readonly Finding[], { style }: Look): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const indent = ' '.repeat('PROBLEM'.length + width + 4);
  return findings
    .map(({ what, state, found, remedy }) => {
      const [colour, mark] = MARKS[state];
      const lines = [...found.split('\n'), ...(remedy === undefined ? [] : [style('dim', remedy)])];
      return `${style(colour, mark)}  ${what.padEnd(width)}  ${lines.join(`\n${indent}`)}\n`;
    })
    .join('');
}

async function infrastructureFindings(configuration: Configuration): Promise<readonly Finding[]> {
  const { infrastructureTrouble } = await loadEstateCode();
  const { redis, kafka } = await infrastructureTrouble(configuration);
  return [finding('Redis', 'REDIS_URL', 'state stays in memory', redis), finding('Kafka', 'KAFKA_BROKERS', 'events stay in memory', kafka)];
}

function finding(what: string, variable: string, without: string, looked: { readonly trouble: string | undefined } | undefined): Finding {
  if (looked === undefined) return note(what, `${variable} is not set: ${without}`);
  const { trouble } = looked;
  if (trouble === undefined) return ok(what, 'answers');
  const found = trouble.replace(/^(redis|kafka): /, '');
  return problem(what, found.charAt(0).toUpperCase() + found.slice(1), `Start it, or correct or remove ${variable}.`);
}

interface Asked extends Access {
  /** Whether the user named this estate: if so, it must run. */
  readonly isNamed: boolean;
}

async function estateFindings(access: Asked): Promise<readonly Finding[]> {
  try {
    await requireReady(access.against);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const [found = '', ...remedies] = error.message.split(/(?<=\.) /);
    if (access.isNamed) return [problem('Estate', found, remedies.join(' '))];
    return [note('Estate', `none runs at ${access.against}`, 'Start one with estate start, or name another with --against.')];
  }
  const refused = await refusedCredentials(access);
  const credentials = refused.map((sentence) => {
    const [found = '', remedy = ''] = sentence.split('; ');
    return problem('Credentials', `${found}.`, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`);
  });
  return [
    ok('Estate', `ready at ${access.against}`),
    ...(await partFindings(access)),
    ...(credentials.length > 0 ? credentials : [ok('Credentials', 'accepted')]),
  ];
}

/** Applications that are absent, and problems that do not stop the estate, such as worlds of another release. */
async function partFindings({ against }: Access): Promise<readonly Finding[]> {
  const { applications = {}, degraded = [] } = await readinessOf(against, '/readyz?all=true');
  const away = Object.entries(applications).filter(([, state]) => state !== 'ready');
  return [
    ...away.map(([name, reason]) => problem('Application', `${name}: ${reason}`, 'Start it, or read its log.')),
    ...degraded.map((sentence) => note('Estate', sentence)),
  ];
}

const DOCKER_MS = 10_000;

/** Never a problem: `loaded-first.cjs` has refused an older Node. */
const nodeVersion = (): Finding =>
  ok('Node', `${process.versions.node}; ${manifest.engines.node.replace('>=', '').replace(/\.0$/, '')} or newer is needed`);

/** Checks that a port can be opened. A port of the running estate passes. */
async function portFinding(what: string, variable: string, host: string, port: number, ownPorts: ReadonlySet<number>): Promise<Finding> {
  if (ownPorts.has(port)) return ok(what, `${port}, used by the running estate`);
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return ok(what, port === 0 ? 'any free one' : `${port} is free`);
  } catch (error) {
    const { code } = error as { code?: string };
    const why = { EADDRINUSE: 'is taken by another program', EACCES: 'may not be opened by this user' }[code ?? ''] ?? 'cannot be opened';
    return problem(what, `${port} ${why}`, `Free it, or choose another one with ${variable}.`);
  } finally {
    server.close();
  }
}

async function dockerFinding(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: DOCKER_MS });
    return ok('Docker', `engine ${stdout.trim()}`);
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ENOENT';
    const found = isMissing ? 'not installed' : 'installed, but its engine does not answer';
    return note('Docker', found, 'Only compose, Testcontainers and the container tests need it.');
  }
}

const portsOf = ({ HOST, GATEWAY_PORT, TOUCHPOINT_PORT, PORTAL_HOST, PORTAL_PORT }: Configuration) =>
  [
    ['Gateway port', 'GATEWAY_PORT', HOST, GATEWAY_PORT],
    ['Touchpoint port', 'TOUCHPOINT_PORT', HOST, TOUCHPOINT_PORT],
    ['Portal port', 'PORTAL_PORT', PORTAL_HOST, PORTAL_PORT],
  ] as const;

interface Finding {
  readonly what: string;
  /** `note`: nothing is wrong, but a feature cannot be used. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly found: string;
  readonly remedy?: string;
}

const ok = (what: string, found: string): Finding => ({ what, state: 'ok', found });
const note = (what: string, found: string, remedy?: string): Finding => ({ what, state: 'note', found, remedy });
const problem = (what: string, found: string, remedy: string): Finding => ({ what, state: 'problem', found, remedy });
