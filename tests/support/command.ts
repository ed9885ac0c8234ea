import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { estate } from './estate.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const MAIN = fileURLToPath(new URL('../../command-line/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The environment of commands: search path, compile cache, and the estate of this test run. */
const environment = ({ PATH, HOME, NODE_COMPILE_CACHE }: NodeJS.ProcessEnv) => ({
  PATH,
  HOME,
  ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
  ESTATE_URL: estate.gateway,
});

/** Runs a program to its end, as a user would. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  const child = spawn(program, args, { cwd: PROJECT, env: { ...environment(process.env), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}

/** Runs `estate …` against the estate of this test run, unless the environment names another. */
export const runEstate = (args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<Ended> =>
  runProgram(process.execPath, [MAIN, ...args], env);

/** The words of a command in a shell. Text in single quotes is one word. */
export const wordsOf = (line: string): readonly string[] => [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);

/** Runs a program at a terminal of 80 columns, and returns what appears there. */
export async function runAtTerminal(
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended & { readonly plain: string }> {
  const ended = await runProgram('script', ['-qec', `stty cols 80; ${command}`, '/dev/null'], { TERM: 'xterm-256color', ...env });
  return { ...ended, plain: stripVTControlCharacters(ended.out).replaceAll('\r', '') };
}

export const COMMAND = `${process.execPath} ${MAIN}`;
