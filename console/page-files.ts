import { readdirSync, readFileSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { importClosure, staticImports } from './import-graph.ts';
import { importFromJoined, joinModules } from './joined-modules.ts';
import { findLibraries, type Libraries } from './libraries.ts';
import { stripTypes } from './strip-types.ts';

const FOLDER = new URL('./page/', import.meta.url);
/** Shared with the touchpoint portal, so that both read as one product. */
const TOKENS = new URL('../design/tokens.css', import.meta.url);
const SEQUENCE = new URL('../design/sequence.css', import.meta.url);
const PAGE_PATH = '/console/page/';
const REFERENCE_SHEET = new URL('./reference.css', import.meta.url);
export const ICON = `${PAGE_PATH}icon.svg`;
export const STYLES = '/console/styles.css';
export const REFERENCE_STYLES = '/console/reference.css';
const BASE = 'base.css';
/** `.ts` in a checkout, `.js` in the installed package. */
const CODE = extname(new URL(import.meta.url).pathname);
export const ENTRY = `${PAGE_PATH}main${CODE}`;
/** Most visits begin with this page. */
const LANDING = `./overview${CODE}`;
/** What the entry and the landing page import, in one module, as their siblings import it. */
const FIRST_PAGE = `./first-page${CODE}`;
export const SCALAR_ENTRY = `${PAGE_PATH}scalar-page${CODE}`;

export interface PageFiles {
  readonly libraries: Libraries;
  /** The modules that the browser preloads for the first page. */
  readonly preloads: readonly string[];
  /** The content of a module, a library, the styles or the icon. */
  read(address: string): { readonly type: string; readonly text: string } | undefined;
}

/** Reads the names of the files; their contents are read when they are asked for. */
export function findPageFiles(): PageFiles {
  const names = new Set(readdirSync(FOLDER).filter((name) => !name.endsWith('.d.ts')));
  const libraries = findLibraries();
  const entry = specifierOf(ENTRY);
  const starts = [entry, LANDING];
  const needed = starts.flatMap((start) => importClosure(start, (module) => siblingsIn(codeOf(module))));
  const joined = new Set(needed.filter((module) => !starts.includes(module)));

  function moduleText(specifier: string): string | undefined {
    if (specifier === FIRST_PAGE) return joinModules([...joined].map((module) => ({ specifier: module, source: codeOf(module) })));
    if (!names.has(specifier.slice(2))) return undefined;
    // A reference page has no import map, so it takes only the modules that it names.
    return specifier === specifierOf(SCALAR_ENTRY) ? codeOf(specifier) : importFromJoined(codeOf(specifier), joined, FIRST_PAGE);
  }

  function read(address: string): { type: string; text: string } | undefined {
    const library = libraries.files.get(address);
    if (library) return { type: 'text/javascript', text: readFileSync(library, 'utf8') };
    if (address === STYLES) return { type: 'text/css', text: stylesAmong(names) };
    if (address === REFERENCE_STYLES)
      return { type: 'text/css', text: [TOKENS, REFERENCE_SHEET].map((sheet) => readFileSync(sheet, 'utf8')).join('\n') };
    if (address === ICON) return { type: 'image/svg+xml', text: textOf('icon.svg') };
    const text = address.startsWith(PAGE_PATH) && address.endsWith(CODE) ? moduleText(specifierOf(address)) : undefined;
    return text === undefined ? undefined : { type: 'text/javascript', text };
  }

  const addressOf = (specifier: string, module: string): string =>
    specifier.startsWith('.') ? posix.join(posix.dirname(module), specifier) : (libraries.addresses[specifier] ?? specifier);
  const preloads = importClosure(ENTRY, (module) =>
    staticImports(read(module)?.text ?? '').map((specifier) => addressOf(specifier, module)),
  );
  return { libraries, preloads, read };
}

/** `./main.ts` of `/console/page/main.ts`. */
const specifierOf = (address: string): string => `./${address.slice(PAGE_PATH.length)}`;

const siblingsIn = (source: string): string[] => staticImports(source).filter((specifier) => specifier.startsWith('.'));

/** The JavaScript of a module of the page. */
const codeOf = (specifier: string): string => (CODE === '.ts' ? stripTypes(textOf(specifier)) : textOf(specifier));

const textOf = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

/** All style sheets in one, so that a browser sends one request. */
const stylesAmong = (names: ReadonlySet<string>): string => {
  const sheets = [...names].filter((name) => name.endsWith('.css') && name !== BASE).sort();
  return [...[TOKENS, SEQUENCE].map((sheet) => readFileSync(sheet, 'utf8')), ...[BASE, ...sheets].map(textOf)].join('\n');
};
