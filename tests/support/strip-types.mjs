import { stripTypeScriptTypes } from 'node:module';

/** Jest transform: the same type stripping that `node file.ts` applies, so tests and production run identical code. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) }),
};
