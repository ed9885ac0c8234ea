import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { relative } from 'node:path';

const require = createRequire(import.meta.url);
const self = readFileSync(new URL(import.meta.url));

/** Tests and their helpers, of which each test file has modules of its own. */
const ofATest = (path, { rootDir }) => /^tests\//.test(relative(rootDir, path));

/**
 * Jest transform. It strips the types of tests like `node file.ts`. Node itself loads the tested code once per process, so that it
 * runs as in production and is not compiled for each file. The tested code must keep no state between files.
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
