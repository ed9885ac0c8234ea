import { execFileSync } from 'node:child_process';
import { cp, glob, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('../', import.meta.url));
export const DIST = join(PROJECT, 'dist');

/** Types are only checked by `npm run check`, not here. */
export function compile(configuration: string): void {
  const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace('package.json', 'bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(PROJECT, 'package', configuration), '--noCheck'], { cwd: PROJECT, stdio: 'inherit' });
}

/** Copies files of the project to the same places in a package. */
export async function copyTo(folder: string, patterns: readonly string[]): Promise<void> {
  for await (const file of glob(patterns, { cwd: PROJECT })) await put(join(folder, file), join(PROJECT, file));
}

async function put(to: string, from: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}

export async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
