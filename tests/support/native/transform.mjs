import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { relative } from 'node:path';

const require = createRequire(import.meta.url);
const self = readFileSync(new URL(import.meta.url));

/** Tests and their helpers, of which each test file has modules of its own. */
const ofATest = (path, { rootDir }) => /^tests\//.test(relative(rootDir, path));

/**
 * Jest transform. Tests lose their types as `node file.ts` would take them. What they test is loaded by Node itself, once per process: it
 * runs as in production, and is not compiled and warmed up anew for each file. It must not keep what one file could leave to the next.
 */
export default {
  process(source, path, { config }) {
    if (ofATest(path, config)) return { code: stripTypeScriptTypes(source, { mode: 'strip' }) };
    const names = Object.keys(require(path));
    const list = names.filter((name) => name !== 'default').join(', ');
    const ofDefault = names.includes('default') ? 'export default loaded.default;' : '';
    return {
      code: `const loaded = globalThis[Symbol.for('native')](${JSON.stringify(path)}); export const { ${list} } = loaded; ${ofDefault}`,
    };
  },
  getCacheKey(source, path, { config, configString }) {
    const hash = createHash('sha256').update(self).update(configString).update(path);
    return hash.update(ofATest(path, config) ? source : Object.keys(require(path)).join()).digest('hex');
  },
};
