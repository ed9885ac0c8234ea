import { stripTypeScriptTypes } from 'node:module';

/**
 * The function of Node is experimental. Only this file knows it, and the installed package, which is plain JavaScript, does not need it.
 * Its warning would be the only line on standard error, and nobody who runs an estate can act on it.
 */
export function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source, { mode: 'strip' });
  } finally {
    process.emitWarning = emitWarning;
  }
}
