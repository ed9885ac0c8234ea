import { fork, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from '../support/eventually.ts';

export const MAIN = fileURLToPath(new URL('../../estate/main.ts', import.meta.url));
export const FREE_PORTS = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };

/** The environment of a new process: only the search path and the compile cache of this process. */
export const bare = ({ PATH, NODE_COMPILE_CACHE }: NodeJS.ProcessEnv = process.env) => ({
  PATH,
  ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
});

/** A process and its output. `await using` kills it. */
export function started(program: string, args: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const output = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.out += stripVTControlCharacters(text);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  let exit: { readonly code: number | null } | undefined;
  const ended = once(child, 'close').then(([code]) => {
    exit = { code };
    return code as number | null;
  });
  const hasBanner = async (): Promise<boolean> => {
    if (output.out.includes('Stop with Ctrl-C')) return true;
    if (exit) throw new Error(`It ended (${exit.code}) before its banner: ${output.err}`);
    return false;
  };
  return {
    child,
    output,
    ended,
    ready: () => eventually('the banner', hasBanner),
    gateway: (): string => /Gateway\s+(\S+)/.exec(output.out)?.[1] ?? '',
    /** @returns the exit code */
    stop: (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
    [Symbol.asyncDispose]: async () => void child.kill('SIGKILL'),
  };
}

/** Starts the estate on free ports, as a user does. */
export const startEstate = (environment: Readonly<Record<string, string>> = {}) =>
  started(process.execPath, [MAIN], { env: { ...bare(), ...FREE_PORTS, ...environment } });

export const LOADED = 'LOADED ';

/** The option of Node for a process that reports on standard error each module whose address has this pattern. */
export function loading(pattern: string): string {
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { if (/${pattern}/.test(url)) console.error('${LOADED}' + url); return next(url, context); } });`;
  return `--import=data:text/javascript,${encodeURIComponent(hooks)}`;
}

/** Forks a program that sends one message, and ends it. @returns the message */
export async function reported<T>(program: string, argument: string, flags: readonly string[] = []): Promise<T> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const execArgv = [...flags, '--disable-warning=ExperimentalWarning'];
  const child = fork(program, [argument], { execArgv, env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  try {
    const [message] = await Promise.race([once(child, 'message'), ended.then(([code]) => [code])]);
    if (typeof message !== 'object') throw new Error(`${program} ended with exit code ${message}, and sent no message.`);
    return message as T;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
