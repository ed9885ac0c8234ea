import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

/** A process with a whole estate that reports what its start, and then the first request for the console, read and compressed. */
export interface Work {
  /** Files and folders, by their path from the project, in alphabetical order. */
  readonly read: readonly string[];
  readonly compressed: number;
  /** Number of child processes, such as esbuild. */
  readonly spawned: number;
}
export interface Findings {
  readonly atStart: Work;
  readonly forFirstPage: Work;
}

type Callable = (...given: unknown[]) => unknown;

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const read: string[] = [];
let compressed = 0;
let spawned = 0;

/** Calls `note` before each call of these functions. */
function watch(module: object, names: readonly string[], note: (first: unknown) => void): void {
  const functions = module as Record<string, Callable>;
  for (const name of names) {
    const known = functions[name];
    if (!known) throw new Error(`There is no function ${name}.`);
    functions[name] = function (this: unknown, ...given) {
      note(given[0]);
      return known.apply(this, given);
    };
  }
}

function noteRead(path: unknown): void {
  if (typeof path === 'string' || path instanceof URL) read.push(relative(PROJECT, path instanceof URL ? fileURLToPath(path) : path));
}

const workSoFar = (): Work => ({ read: read.splice(0).toSorted(), compressed, spawned });

watch(fs, ['readFileSync', 'readFile', 'openSync', 'open', 'createReadStream', 'readdirSync', 'readdir'], noteRead);
watch(fs.promises, ['readFile', 'open', 'readdir'], noteRead);
watch(zlib, ['gzip', 'gzipSync', 'brotliCompress', 'brotliCompressSync', 'deflate', 'deflateSync'], () => {
  compressed += 1;
});
watch(childProcess, ['spawn'], () => {
  spawned += 1;
});
syncBuiltinESMExports();

// Modules that are loaded below use the instrumented functions.
const { pino } = await import('pino');
const { readConfiguration } = await import('../../estate/configuration.ts');
const { startEstate } = await import('../../estate/estate.ts');
const ports = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
const estate = await startEstate(readConfiguration({ ...ports, CONSOLE: process.argv[2] ?? 'on' }), pino({ level: 'silent' }));
await estate.ready;
const atStart = workSoFar();
compressed = 0;
spawned = 0;
await (await fetch(`${estate.gateway}/console/`)).text();
process.send?.({ atStart, forFirstPage: workSoFar() } satisfies Findings);
