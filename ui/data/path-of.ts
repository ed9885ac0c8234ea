import { fillPath, PathRefused, requireWrittenPath } from '../../shared/transport/path.ts';
import { mistakeAt } from './refusal.ts';

/** The path of a call, with its values. @throws Refusal for a value that no path can have */
export const pathOf = ({ path }: { readonly path: string }, params: Readonly<Record<string, string>>): string =>
  refusing(() => fillPath(path, params));

/** Browsers read a path that begins with two slashes as a host, even if one is a backslash or a tab is between them. */
const A_PATH = /^\/(?![\s/\\])/;

/** Refuses an address of another host, and a path that browsers send as another one. @throws Refusal */
export function requireOwnPath(text: string): void {
  if (!A_PATH.test(text)) throw mistakeAt('path', 'Write a path of this estate: it begins with one /, and names no host.');
  refusing(() => requireWrittenPath(text));
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof PathRefused ? mistakeAt(error.parameter ?? 'path', error.message) : error;
  }
}
