import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const TESTS = new URL('../../', import.meta.url).href;
const OFFERED = 'what @jest/globals exports';
/** How often this process has loaded each test file. In watch mode it loads some again. */
const times = new Map();

/** Sets the values that the next test file imports from `@jest/globals`, such as `describe` and `test`. */
export function offer(functions) {
  globalThis[Symbol.for(OFFERED)] = functions;
}

/** The address of a test file. Its query marks the modules of one run of the file, so that the next run has other modules. */
export function urlOf(path) {
  const { href } = pathToFileURL(path);
  const before = times.get(path) ?? 0;
  times.set(path, before + 1);
  return marked(href, `${href.slice(TESTS.length)}${before > 0 ? `,${before}` : ''}`);
}

const marked = (url, mark) => `${url}?of=${mark}`;
const markOf = (url) => /\?of=(.*)/.exec(url)?.[1];

/** The text of a stack with paths in place of addresses. */
export const plainStack = (stack) => stack.replaceAll(/(file:[^\s?]+?)(?:\?of=[^\s:)]+)?(?=:\d+:\d+)/g, (_, url) => fileURLToPath(url));

registerHooks({
  resolve(specifier, context, next) {
    const mark = markOf(context.parentURL);
    if (mark === undefined) return next(specifier, context);
    if (specifier === '@jest/globals') return { url: marked('offered:', mark), format: 'module', shortCircuit: true };
    const found = next(specifier, context);
    return found.url.startsWith(TESTS) ? { ...found, url: marked(found.url, mark) } : found;
  },
  load(url, context, next) {
    if (!url.startsWith('offered:')) return next(url, context);
    const names = Object.keys(globalThis[Symbol.for(OFFERED)]).join(', ');
    return { format: 'module', source: `export const { ${names} } = globalThis[Symbol.for('${OFFERED}')];`, shortCircuit: true };
  },
});
