import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CommandFailure, EXIT } from './failure.ts';

export type EstateCode = typeof import('../estate/for-command-line.ts');

/** The package with the estate's own code. The command line is installed without it, and needs it only to start an estate. */
const PACKAGE = 'unified-commerce-estate-server';
const IN_A_CLONE = new URL('../estate/', import.meta.url);

export const REMEDY = `install it with: npm install --save-dev ${PACKAGE}`;

/** @throws CommandFailure with the remedy when the estate's own code is not installed */
export async function loadEstateCode(): Promise<EstateCode> {
  return (await import(urlOf('for-command-line'))) as EstateCode;
}

/** The file that starts an estate in a process of its own. @throws CommandFailure with the remedy when it is not installed */
export const estateMain = (): string => fileURLToPath(urlOf('main'));

export function hasEstateCode(): boolean {
  try {
    return urlOf('main') !== '';
  } catch (error) {
    if (error instanceof CommandFailure) return false;
    throw error;
  }
}

function urlOf(file: 'for-command-line' | 'main'): string {
  if (existsSync(IN_A_CLONE)) return new URL(`${file}.ts`, IN_A_CLONE).href;
  try {
    return import.meta.resolve(`${PACKAGE}/${file}`);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CommandFailure(`The estate itself is not installed; ${REMEDY}`, EXIT.misuse);
  }
}
