import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { z } from 'zod';
import type { OwnScenario, Scenario } from '../../rehearsal/scenario.ts';
import { IN_WORDS, mistakesIn } from '../../shared/contract/issue-words.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { GIVEN_BYTES, requireFile, UnreadFile } from '../../shared/process/bounded-file.ts';
import { messageOf, supervised } from './supervision.ts';

/** Names of scenarios have no dots and slashes. Files have an extension or a folder. */
export const isFile = (word: string): boolean => /[/\\]|\.[cm]?[jt]s$/.test(word);

const looksLikeScenario = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('run' in value || ('name' in value && 'title' in value));

const ScenarioShape = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Give it lower-case letters, digits and hyphens.')
    .max(80),
  title: z.string().min(1).max(300),
  startsAt: z.iso.datetime({ offset: true, error: 'Give an instant, such as 2026-03-02T10:00:00Z.' }).optional(),
  run: z.custom((value) => typeof value === 'function', 'Give it a function that takes a stage.'),
  flows: z.array(z.int().min(1).max(8)).optional(),
});

interface Found {
  readonly scenario: Scenario;
  readonly file: string;
}

/** Loads the scenarios that files export. @param taken names of the estate's scenarios @returns scenarios, and a sentence per mistake */
export async function ownScenarios(
  files: readonly string[],
  taken: readonly string[],
): Promise<{ readonly found: readonly Found[]; readonly mistakes: readonly string[] }> {
  const mistakes: string[] = [];
  const found: Found[] = [];
  for (const file of new Set(files)) {
    const { scenarios, problems } = await scenariosOf(file);
    mistakes.push(...problems);
    for (const scenario of scenarios) {
      const other = found.find((one) => one.scenario.name === scenario.name);
      if (taken.includes(scenario.name)) mistakes.push(`${file}: the estate has a scenario ${scenario.name} already; choose another name.`);
      else if (other) mistakes.push(`${file}: ${other.file} has a scenario ${scenario.name} too; choose another name for one of them.`);
      else found.push({ scenario, file });
    }
  }
  return { found, mistakes };
}

interface Loaded {
  readonly scenarios: readonly Scenario[];
  readonly problems: readonly string[];
}

async function scenariosOf(file: string): Promise<Loaded> {
  const path = resolve(file);
  try {
    requireFile(path, { most: GIVEN_BYTES });
    return scenariosIn(await supervised(() => import(pathToFileURL(path).href)), file);
  } catch (error) {
    if (error instanceof UnreadFile && error.isMissing) return refused(`${file} does not exist; check the path.`);
    return refused(`${file} cannot be loaded: ${reasonOf(error, path)}`);
  }
}

const refused = (...problems: readonly string[]): Loaded => ({ scenarios: [], problems });

/** @throws whatever a getter of its exports throws */
function scenariosIn(module: Readonly<Record<string, unknown>>, file: string): Loaded {
  const scenarios = [...new Set(exportsOf(module).filter(looksLikeScenario))];
  if (scenarios.length === 0) return refused(`${file} exports ${exportedInstead(module)}; export an object with name, title and run.`);
  const problems = scenarios.flatMap((scenario) => {
    const { error } = ScenarioShape.safeParse(scenario, IN_WORDS);
    return [...mistakesIn(error?.issues ?? [])].map(
      ({ path: place, detail }) => `${file}: ${place.join('.')} of a scenario cannot be used: ${detail}`,
    );
  });
  return problems.length > 0
    ? refused(...problems)
    : { scenarios: (scenarios as readonly OwnScenario[]).map((own) => complete(own, resolve(file))), problems };
}

/** The exports of a file: single values, members of lists, and members of a default export, as in CommonJS. */
function exportsOf(module: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { default: whole } = module;
  const inOne = typeof whole === 'object' && whole !== null && !looksLikeScenario(whole) ? Object.values(whole) : [];
  return [...Object.values(module), ...inOne].flatMap((value): readonly unknown[] => (Array.isArray(value) ? value : [value]));
}

function exportedInstead(module: Readonly<Record<string, unknown>>): string {
  const [first] = Object.entries(module).filter(([name]) => name !== 'module.exports');
  if (first === undefined) return 'no scenario';
  const [name, value] = first;
  const kind = value instanceof Promise ? 'a promise' : typeof value === 'function' ? 'a function' : undefined;
  return kind === undefined ? 'no scenario' : `${kind} as ${name}, but no scenario`;
}

const complete = (own: OwnScenario, path: string): Scenario => ({
  name: own.name,
  title: own.title,
  startsAt: own.startsAt,
  data: own.data,
  flows: own.flows ?? [],
  run: async (stage) => {
    try {
      await own.run(stage);
    } catch (error) {
      throw explained(error, path);
    }
  },
});

/** Adds the line to errors of JavaScript, which are too short without it. */
function explained(error: unknown, path: string): Error {
  if (!(error instanceof Error))
    return new Error(`It threw ${inspect(error)}, which is not an Error. Throw an Error that explains the failure.`);
  const isBare = error.message === '' || [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind);
  const line = lineOf(error, path);
  if (!isBare || line === undefined) return error;
  return new Error(`In line ${line} of ${basename(path)}: ${messageOf(error)}`, { cause: error });
}

/** The line of a file that threw an error, when the stack contains it. */
function lineOf({ stack = '' }: Error, path: string): string | undefined {
  const place = stack.indexOf(path);
  return /^:(\d+)/.exec(place < 0 ? '' : stack.slice(place + path.length))?.[1];
}

const IS_ES_MODULE = /^(?:Unexpected token 'export'|Cannot use import statement outside a module)/;

/** Why a file cannot be loaded, with the line when it is known. */
function reasonOf(error: unknown, path: string): string {
  if (error instanceof UnreadFile) return `${error.message}${error.isFolder ? `, such as ${path}/*.ts` : ''}.`;
  if (!(error instanceof Error)) return `it throws ${inspect(error)}.`;
  const { code = '', message }: NodeJS.ErrnoException = error;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && !isFile(basename(path)))
    return 'its extension is unknown; put scenarios in files such as my-scenarios.ts, .mts, .js or .mjs.';
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return `Node ${process.versions.node} does not run TypeScript there; use Node 22.18 or newer and a file outside node_modules, or write JavaScript.`;
  if (error instanceof SyntaxError && IS_ES_MODULE.test(message) && /\.c[jt]s$/.test(path))
    return 'it is an ES module with an extension of CommonJS; name it .mts or .mjs.';
  if (error instanceof SyntaxError && IS_ES_MODULE.test(message))
    return `it is an ES module, but its package.json has the type CommonJS; name it .mts or .mjs, or set "type": "module" there.`;
  const line = lineOf(error, path);
  const reason = inOneLine(message, 300).replace(/[.:]?$/, '');
  return `${reason}${line === undefined ? '' : `, in line ${line}`}.`;
}
