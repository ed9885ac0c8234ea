import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Usage } from './servers/report-usage.ts';

const START_MS = 60_000;
const STOP_MS = 5_000;
/** Time limit for preparations before the measurement. */
const WORK_MS = 300_000;
const REPORT_USAGE = new URL('./servers/report-usage.ts', import.meta.url).href;

interface ChildOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments for Node itself. */
  readonly flags?: readonly string[];
  /** Omit it when the start itself is measured. */
  readonly reportsUsage?: boolean;
  /** Modules that Node loads before the file. */
  readonly preloads?: readonly string[];
  readonly profiles?: string | undefined;
}

/** A measured process. It ends when this process ends, or earlier. */
export interface Child extends AsyncDisposable {
  /** An address from its ready message. */
  address(name: string): string;
  usage(): Promise<Usage>;
  /** Sends a message and waits for a reply with this member. @returns the member */
  ask(message: object | string, answer: string): Promise<unknown>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** @param file relative to the root of the repository. The process sends `{ ready: true, <name>: <address> }` when it is ready. */
export async function startChild(
  file: string,
  { args = [], env = {}, flags = [], reportsUsage = true, preloads = [], profiles }: ChildOptions = {},
): Promise<Child> {
  const child = fork(fileURLToPath(new URL(`../${file}`, import.meta.url)), [...args], {
    env: { ...process.env, ...env },
    execArgv: [
      ...flags,
      ...[...(reportsUsage ? [REPORT_USAGE] : []), ...preloads].flatMap((module) => ['--import', module]),
      ...(profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]),
    ],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const ready = await answerOf(child, (message) => message['ready'] === true, file);
  return {
    address(name) {
      const address = ready[name];
      if (typeof address !== 'string') throw new Error(`${file} did not report the address "${name}".`);
      return address;
    },
    async usage() {
      const answer = answerOf(child, (message) => message['usage'] !== undefined, file);
      child.send('usage');
      return (await answer)['usage'] as Usage;
    },
    async ask(message, answer) {
      const answered = answerOf(child, (one) => one[answer] !== undefined, file, WORK_MS);
      child.send(message);
      return (await answered)[answer];
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** @returns the first matching message. @throws Error when the process ends or does not answer in time */
async function answerOf(
  child: ChildProcess,
  fits: (message: Readonly<Record<string, unknown>>) => boolean,
  file: string,
  patienceMs = START_MS,
): Promise<Readonly<Record<string, unknown>>> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error(`${file} sent no message for ${patienceMs} ms.`)), patienceMs);
  const ended = once(child, 'exit', { signal: patience.signal }).then(([code]) => {
    throw new Error(`${file} ended with ${code}.`);
  });
  const answered = (async () => {
    for (;;) {
      const [message] = await once(child, 'message', { signal: patience.signal });
      if (fits(message)) return message as Readonly<Record<string, unknown>>;
    }
  })();
  try {
    return await Promise.race([answered, ended]);
  } catch (error) {
    throw patience.signal.aborted ? patience.signal.reason : error;
  } finally {
    clearTimeout(timer);
    for (const loser of [ended, answered]) loser.catch(() => undefined);
    patience.abort();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(hard);
}

/** A free port on the loopback, for programs that cannot choose one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { scripts: Record<string, string> };
/** Node arguments of `npm start`, so that the benchmark measures the same configuration. */
const flags = /node (.*) estate\/main\.ts/.exec(scripts['start'] ?? '')?.[1]?.split(' ') ?? [];

/** The API key of the touchpoint mock. */
export const STORE_KEY = 'demo-store-key';

interface EstateOptions extends Omit<ChildOptions, 'args' | 'flags'> {
  /** A single service; the whole estate when omitted. */
  readonly service?: string;
}

/** The estate as `npm start` starts it, on free ports. */
export function startEstate({ service, env, ...options }: EstateOptions = {}): Promise<Child> {
  return startChild('estate/main.ts', {
    ...options,
    flags,
    env: {
      GATEWAY_PORT: '0',
      TOUCHPOINT_PORT: '0',
      PORTAL_PORT: '0',
      LOG_LEVEL: 'warn',
      MOCK_STORE_KEY: STORE_KEY,
      MOCK_LANES: 'SCO-01',
      ...(service !== undefined && { SERVICE: service }),
      ...env,
    },
  });
}
