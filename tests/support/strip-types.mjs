import { stripTypeScriptTypes } from 'node:module';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What tests and their helpers say themselves, for which each file has modules of its own; all else is loaded as Node does. */
const OF_A_TEST = /^tests\//;

const stripped = (source) => stripTypeScriptTypes(source, { mode: 'strip' });

/**
 * Jest transform. Tests lose their types as `node file.ts` would take them. What they test is loaded by Node itself, once per process:
 * it runs as in production, and need not be compiled and warm up anew for each file. It must keep nothing that one file could leave to
 * the next, which the import rule and the services' own design see to.
 */
export default {
  process: (source) => ({ code: stripped(source) }),
  async processAsync(source, path, { config }) {
    if (OF_A_TEST.test(relative(config.rootDir, path))) return { code: stripped(source) };
    const names = Object.keys(await import(pathToFileURL(path).href));
    const file = JSON.stringify(path);
    const list = names.filter((name) => name !== 'default').join(', ');
    const ofDefault = names.includes('default') ? 'export default loaded.default;' : '';
    return { code: `const loaded = globalThis[Symbol.for('native')](${file}); export const { ${list} } = loaded; ${ofDefault}` };
  },
};
