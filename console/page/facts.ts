import type { ConsoleConfig } from '../config.ts';
import type { Vocabulary } from '../vocabulary.ts';

export interface Facts {
  readonly config: ConsoleConfig;
  readonly vocabulary: Vocabulary;
}

let loaded: Facts | undefined;

/** The public facts of the gateway, read once before the first page is drawn. @throws Error when the gateway does not answer */
export async function loadFacts(): Promise<void> {
  const read = async <T>(name: string): Promise<T> => {
    const answer = await fetch(`/console/${name}`, { cache: 'no-cache' });
    if (!answer.ok) throw new Error(`/console/${name} answered ${answer.status}.`);
    return (await answer.json()) as T;
  };
  const [config, vocabulary] = await Promise.all([read<ConsoleConfig>('config.json'), read<Vocabulary>('catalog.json')]);
  loaded = { config, vocabulary };
}

export function facts(): Facts {
  if (!loaded) throw new Error('The facts are read before any page is drawn.');
  return loaded;
}

export const applicationTitle = (id: string): string => facts().vocabulary.applications[id] ?? (id === 'client' ? 'Client' : id);

/** `Confirm Order`; the name of an event or of a timer. */
export const apiTitle = (api: string): string =>
  facts().vocabulary.apis[api]?.name ??
  api
    .replace(/^event:/, '')
    .replace(/^due:/, 'timer ')
    .replace(/-api$/, '');
