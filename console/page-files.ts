import { readdirSync, readFileSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { importClosure, staticImports } from './import-graph.ts';
import { findLibraries, type Libraries } from './libraries.ts';
import { stripTypes } from './strip-types.ts';

const FOLDER = new URL('./page/', import.meta.url);
/** Shared with the touchpoint portal, so that both read as one product. */
const TOKENS = new URL('../design/tokens.css', import.meta.url);
const SEQUENCE = new URL('../design/sequence.css', import.meta.url);
export const PAGE_PATH = '/console/page/';
const REFERENCE_SHEET = new URL('./reference.css', import.meta.url);
export const STYLES = '/console/styles.css';
export const REFERENCE_STYLES = '/console/reference.css';
const BASE = 'base.css';
/** `.ts` in a checkout, `.js` in the installed package. */
const CODE = extname(new URL(import.meta.url).pathname);
export const ENTRY = `${PAGE_PATH}main${CODE}`;
export const SCALAR_ENTRY = `${PAGE_PATH}scalar-page${CODE}`;

export interface PageFiles {
  readonly libraries: Libraries;
  /** The modules that the first page needs, for the browser to load at once. */
  readonly preloads: readonly string[];
  /** The content of a module, a library, the styles or the icon. */
  read(address: string): { readonly type: string; readonly text: string } | undefined;
}

/** Reads the names of the files; their contents are read when they are asked for. */
export function findPageFiles(): PageFiles {
  const names = new Set(readdirSync(FOLDER).filter((name) => !name.endsWith('.d.ts')));
  const libraries = findLibraries();
  const addressOf = (specifier: string, module: string): string =>
    specifier.startsWith('.') ? posix.join(posix.dirname(module), specifier) : (libraries.addresses[specifier] ?? specifier);

  function read(address: string): { type: string; text: string } | undefined {
    const library = libraries.files.get(address);
    if (library) return { type: 'text/javascript', text: readFileSync(library, 'utf8') };
    if (address === STYLES) return { type: 'text/css', text: stylesAmong(names) };
    if (address === REFERENCE_STYLES)
      return { type: 'text/css', text: [TOKENS, REFERENCE_SHEET].map((sheet) => readFileSync(sheet, 'utf8')).join('\n') };
    const name = address.slice(PAGE_PATH.length);
    if (!address.startsWith(PAGE_PATH) || !names.has(name)) return undefined;
    if (name.endsWith('.svg')) return { type: 'image/svg+xml', text: textOf(name) };
    return name.endsWith(CODE) ? { type: 'text/javascript', text: CODE === '.ts' ? stripTypes(textOf(name)) : textOf(name) } : undefined;
  }

  const preloads = importClosure(ENTRY, (module) =>
    staticImports(read(module)?.text ?? '').map((specifier) => addressOf(specifier, module)),
  );
  return { libraries, preloads, read };
}

const textOf = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

/** All style sheets in one: a page of the console has a sheet of its own, and the browser asks once. */
const stylesAmong = (names: ReadonlySet<string>): string => {
  const sheets = [...names].filter((name) => name.endsWith('.css') && name !== BASE).sort();
  return [...[TOKENS, SEQUENCE].map((sheet) => readFileSync(sheet, 'utf8')), ...[BASE, ...sheets].map(textOf)].join('\n');
};
