import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Wall time limit of a run, because a mutant can make tests wait forever. */
const RUN_MS = 10 * 60_000;

/** The parts of Jest's `--json` that count. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

export interface TestedFile {
  readonly file: string;
  /** Full names of the failed tests. */
  readonly failed: readonly string[];
  /** Number of tests that ran. 0: the file could not be loaded. */
  readonly ran: number;
  readonly message: string;
}

/**
 * Runs test files in a copy of the project.
 * @returns undefined when Jest wrote no result: the estate did not start, or the run timed out
 */
export async function runJest(folder: string, files: readonly string[], signal: AbortSignal): Promise<readonly TestedFile[] | undefined> {
  signal.throwIfAborted();
  const result = join(folder, 'result.json');
  rmSync(result, { force: true });
  const jest = join(folder, 'node_modules/jest/bin/jest.js');
  const options = ['--json', `--outputFile=${result}`, `--cacheDirectory=${join(folder, 'cache')}`, '--runTestsByPath', ...files];
  // A new process group: Ctrl-C reaches only the runner, which ends the group and then removes the copy.
  // A random sample of cases may miss the defect.
  const env = { ...process.env, THOROUGH: 'true' };
  const child = spawn(process.execPath, [jest, ...options], { cwd: folder, detached: true, stdio: 'ignore', env });
  const end = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGTERM'));
  const limit = setTimeout(end, RUN_MS);
  signal.addEventListener('abort', end);
  try {
    await once(child, 'exit');
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  if (!existsSync(result)) return undefined;
  const { testResults } = JSON.parse(readFileSync(result, 'utf8')) as Report;
  return testResults.map(({ name, message, assertionResults }) => ({
    file: name.slice(folder.length + 1),
    failed: assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    ran: assertionResults.length,
    message,
  }));
}
