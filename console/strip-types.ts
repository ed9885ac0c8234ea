import { stripTypeScriptTypes } from 'node:module';

/**
 * Node's function is experimental, so only this file calls it. The installed package is JavaScript and does not need it.
 * Its warning is suppressed, because a user cannot act on it.
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
