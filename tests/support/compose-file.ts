import { parse } from 'yaml';
import { textOf } from './tracked-files.ts';

export interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[]; readonly interval: string };
  readonly [setting: string]: unknown;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly [section: string]: unknown;
}

/** A compose file of the repository, its anchors resolved as compose resolves them. */
export const composeFile = (file: string): ComposeFile => parse(textOf(file), { merge: true }) as ComposeFile;
