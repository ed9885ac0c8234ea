import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ObjectType } from '../../rehearsal/call-types.ts';
import type { EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import {
  boundedCheck,
  CHECK_MS,
  checkOfFunction,
  failedCheck,
  LATE_CHECK,
  LONGEST_CHECK,
  NO_CHECK,
  type ReadCheck,
} from '../../rehearsal/harden/functions.ts';
import type { UserSystem } from '../../rehearsal/harden/play.ts';
import type { Scenario } from '../../rehearsal/scenario.ts';
import type { ClientVariable, WebhookVariable } from '../../shared/catalog/client-variables.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { GIVEN_BYTES, readTextWithin, requireFile, UnreadFile } from '../../shared/process/bounded-file.ts';
import { misuse } from '../failure.ts';
import { type Running, runChild } from './child.ts';
import { type EndedService, type ServiceOptions, storyBeside } from './story.ts';

export interface SystemOptions {
  readonly command: readonly string[];
  readonly gateway: string;
  readonly admin: string;
  /** A command whose output is compared, or a file that exports a function. */
  readonly check?: string;
  readonly sameAs?: readonly SameAs[];
  readonly before?: string;
  /** Address of the user's system, with `{rehearsal}`. */
  readonly url?: string;
  /** The estate plays this story, and the command runs beside it. */
  readonly story?: Scenario;
  /** Address that answers when the command beside the story is ready, with `{rehearsal}`. */
  readonly ready?: string;
  /** Receives the output of a command that failed. */
  readonly onFailure?: (output: string) => void;
}

/** Name of the variable with the file where the command writes what it holds to be true. */
const CHECK_FILE = 'CHECK_FILE';
/** Room for a long check in any script. */
const MOST_CHECK_BYTES = 4 * LONGEST_CHECK;

type Variables = Readonly<Record<ClientVariable | WebhookVariable, string>>;

/** The user's system: a command in a process, and its check. @throws CommandFailure for a check that cannot be used */
export async function userSystem(options: SystemOptions): Promise<UserSystem> {
  const checks = await Promise.all([options.check === undefined ? undefined : checkOf(options.check, options), sameAsCheck(options)]);
  const used = checks.filter((one) => one !== undefined);
  return {
    ...(options.story === undefined ? { play: playOfCommand(options) } : storyBeside(serviceOf(options.story, options))),
    ...(used.length > 0 && {
      check: async (rehearsal) => (await Promise.all(used.map((one) => one(rehearsal)))).join('\n'),
      unfit: (check: string) => unfit(check, options),
    }),
    ...(options.before !== undefined && { before: (rehearsal) => reset(options.before ?? '', variablesOf(rehearsal, options)) }),
  };
}

const playOfCommand =
  (options: SystemOptions): UserSystem['play'] =>
  async (rehearsal, { limitMs, signal }) => {
    const { exitCode, output, check } = await runCommand(rehearsal, options, { limitMs, signal });
    if (exitCode !== 0) options.onFailure?.(output);
    return { exitCode, check };
  };

/** A service may run as long as its story and its patience take; the story has the limit. */
const LONGEST_SERVICE_MS = 3_600_000;

const serviceOf = (story: Scenario, options: SystemOptions): ServiceOptions => ({
  story,
  ready: ({ name }) => options.ready && filled(options.ready, { rehearsal: name }),
  run: (rehearsal, how) => runCommand(rehearsal, options, { limitMs: LONGEST_SERVICE_MS, ...how }),
  onFailure: options.onFailure,
});

/** Runs the user's command, and reads the file that it may write. */
async function runCommand(rehearsal: EstateRehearsal, options: SystemOptions, how: Omit<Running, 'variables'>): Promise<EndedService> {
  const folder = await mkdtemp(join(tmpdir(), 'estate-harden-'));
  const file = join(folder, 'check');
  try {
    const ended = await runChild(options.command, { variables: { ...variablesOf(rehearsal, options), [CHECK_FILE]: file }, ...how });
    return { ...ended, check: writtenCheck(file) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the command has written, or why it cannot be read; undefined when it has written nothing. */
function writtenCheck(file: string): string | undefined {
  try {
    return boundedCheck(readTextWithin(file, { most: MOST_CHECK_BYTES }));
  } catch (error) {
    if (!(error instanceof UnreadFile)) throw error;
    return error.isMissing ? undefined : failedCheck(`: the file in ${CHECK_FILE} is not read, because ${error.message}.`);
  }
}

function variablesOf(
  { name, credentials }: EstateRehearsal,
  { gateway, admin, url }: Pick<SystemOptions, 'gateway' | 'admin' | 'url'>,
): Variables & { readonly HARDEN_URL?: string } {
  return {
    ESTATE_URL: gateway,
    ESTATE_REHEARSAL: name,
    ESTATE_ADMIN_TOKEN: admin,
    ESTATE_BEARER_TOKEN: credentials.bearer,
    ESTATE_API_KEY: credentials.apiKey,
    ESTATE_WEBHOOK_URL: `${gateway}${credentials.webhookUrl}`,
    ESTATE_WEBHOOK_SECRET: credentials.webhookSecret,
    ...(url !== undefined && { HARDEN_URL: filled(url, { rehearsal: name }) }),
  };
}

const filled = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);

async function reset(command: string, variables: Variables): Promise<void> {
  const { exitCode, output } = await runChild(command, { variables, limitMs: CHECK_MS });
  if (exitCode === 0) return;
  const how = exitCode === undefined ? 'did not end within a minute' : `failed with exit code ${exitCode}`;
  throw misuse(`The command in --before ${how}. Correct it: ${command}${output.trim() === '' ? '' : `\n${output.trimEnd()}`}`);
}

const isScript = (text: string): boolean => /^\S+\.[cm]?[jt]s$/.test(text);

async function checkOf(check: string, options: SystemOptions): Promise<ReadCheck> {
  if (isScript(check)) return checkOfFile(check);
  return async (rehearsal) => {
    const { exitCode, stdout, output } = await runChild(filled(check, { rehearsal: rehearsal.name }), {
      variables: variablesOf(rehearsal, options),
      limitMs: CHECK_MS,
    });
    if (exitCode === undefined) return `${LATE_CHECK}: ${check}`;
    if (exitCode !== 0) return failedCheck(` with exit code ${exitCode}: ${output.trim() || 'it printed nothing.'}`);
    return stdout.trim() === '' ? NO_CHECK : boundedCheck(stdout);
  };
}

async function checkOfFile(file: string): Promise<ReadCheck> {
  const path = resolve(file);
  let module: Readonly<Record<string, unknown>>;
  try {
    requireFile(path, { most: GIVEN_BYTES });
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    if (error instanceof UnreadFile) throw misuse(`--check ${file}: ${error.message}. Give a file that exports a function, or a command.`);
    throw misuse(`The check ${file} cannot be loaded: ${errorMessage(error)}`);
  }
  const check = module['default'] ?? module['check'];
  if (typeof check !== 'function')
    throw misuse(
      `${file} exports no check; export a function as default. It gets the rehearsal and returns what your system holds to be true.`,
    );
  return checkOfFunction(check as (rehearsal: EstateRehearsal) => unknown);
}

/** `order=http://localhost:3000/orders/{id}` */
export interface SameAs {
  readonly type: string;
  readonly url: string;
}

/** @throws CommandFailure */
export function sameAsOf(text: string): SameAs {
  const [, type = '', url = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  const types = objects.map((object) => object.type);
  if (url === '') throw misuse(`--same-as ${text}: give a type and an address, such as order=http://localhost:3000/orders/{id}.`);
  if (!types.includes(type)) throw misuse(unknownWord('type of object', type, types));
  if (!/^https?:/.test(url) || !url.includes('{id}'))
    throw misuse(`--same-as ${type}: the address begins with http and has {id}, not ${url}.`);
  return { type, url };
}

const MOST_OBJECTS = 100;

/** Compares the members that the user's system returns with the objects of the rehearsal. */
function sameAsCheck({ sameAs = [] }: SystemOptions): ReadCheck | undefined {
  if (sameAs.length === 0) return undefined;
  return async (rehearsal) => {
    const lines: string[] = [];
    for (const { type, url } of sameAs) {
      const { items } = await rehearsal.control('list-objects', { params: { type }, query: { limit: MOST_OBJECTS } });
      for (const [index, { id }] of items.toReversed().entries()) {
        const stored = await rehearsal.object(type as ObjectType, id);
        lines.push(`${SAME_AS} ${type} ${index + 1}: ${await comparedWith(filled(url, { id, rehearsal: rehearsal.name }), stored)}`);
      }
    }
    return lines.join('\n');
  };
}

const SAME_AS = '--same-as';
const SAME = 'the same';

/** Why --same-as compares nothing: in fine weather, the user's system returns no object of a type as the estate does. */
function unfit(check: string, { sameAs = [] }: SystemOptions): string | undefined {
  for (const { type, url } of sameAs) {
    const lines = check.split('\n').filter((line) => line.startsWith(`${SAME_AS} ${type} `));
    if (lines.some((line) => line.endsWith(`: ${SAME}`))) continue;
    const found =
      lines.length === 0 ? `The story leaves no ${type} to compare.` : `Without any misfortune: ${lines.slice(0, 3).join('; ')}.`;
    return `${found} Let your system return it at ${url}, with the members of the estate.`;
  }
  return undefined;
}

async function comparedWith(url: string, stored: object): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(CHECK_MS) }).catch((error: Error) => errorMessage(error.cause ?? error));
  if (typeof answer === 'string') return `no answer: ${answer}`;
  if (!answer.ok) return `status ${answer.status}`;
  const own: unknown = await answer.json().catch(() => undefined);
  if (typeof own !== 'object' || own === null) return 'no JSON object';
  const members = Object.entries(own).filter(([name]) => name in stored);
  const wrong = members.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify((stored as Record<string, unknown>)[name]));
  if (members.length === 0) return 'no member of the object';
  return wrong.length === 0 ? SAME : wrong.map(([name]) => `${name} differs`).join(', ');
}
