import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importClosure, staticImports } from './import-graph.ts';

/** Packages of the page, by the name under which its modules import them. */
const NAMES = ['preact', 'preact/hooks', '@preact/signals', '@preact/signals-core', 'eventsource-parser', '@dagrejs/dagre'];

export const LIBRARY_PATH = '/console/lib/';

export interface Libraries {
  /** Names of imports and their addresses. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Files by their address. */
  readonly files: ReadonlyMap<string, URL>;
}

/** Finds the libraries in node_modules: their entries, and the files that these import. */
export function findLibraries(): Libraries {
  const entries = NAMES.map((name) => [name, import.meta.resolve(name)] as const);
  const siblings = (module: string): string[] =>
    staticImports(readFileSync(fileURLToPath(module), 'utf8')).flatMap((name) =>
      name.startsWith('.') ? [new URL(name, module).href] : [],
    );
  const modules = entries.flatMap(([, entry]) => importClosure(entry, siblings));
  return {
    addresses: Object.fromEntries(entries.map(([name, entry]) => [name, addressOf(entry)])),
    files: new Map(modules.map((module) => [addressOf(module), new URL(module)])),
  };
}

const addressOf = (module: string): string => `${LIBRARY_PATH}${module.split('/node_modules/').at(-1)}`;
