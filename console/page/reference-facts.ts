import type { ReferenceFacts } from '../reference-facts.ts';
import { refusalOf, unreachable } from './refusal.ts';

export type { ReferenceFacts };

/** Problems and magic values of this estate. @throws Refusal */
export async function readReferenceFacts(signal: AbortSignal): Promise<ReferenceFacts> {
  const answer = await fetch('/console/reference.json', { signal, cache: 'no-cache' }).catch((error: unknown) => {
    throw unreachable(error);
  });
  if (!answer.ok) throw await refusalOf(answer);
  return (await answer.json()) as ReferenceFacts;
}
