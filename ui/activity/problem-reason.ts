import type { FieldError } from '../data/refusal.ts';

/** Maximum number of mistakes in a sentence. A typing error often makes two: an unknown member and a missing one. */
const MOST = 3;

/** Why an answer refuses: its first mistakes with their places, or its detail. Undefined: it does not say. */
export function reasonOf(response: unknown): string | undefined {
  const { detail, errors }: { detail?: unknown; errors?: unknown } = typeof response === 'object' && response !== null ? response : {};
  const mistakes = Array.isArray(errors) ? errors.filter(isMistake) : [];
  if (mistakes.length > 0) {
    const listed = mistakes.slice(0, MOST).map((one) => `${one.pointer || 'The body'}: ${one.detail}`);
    const others = mistakes.length > MOST ? [`(and ${mistakes.length - MOST} more)`] : [];
    return [...listed, ...others].join(' ');
  }
  return typeof detail === 'string' && detail !== '' ? detail : undefined;
}

const isMistake = (one: Partial<FieldError> | null): one is FieldError =>
  typeof one?.pointer === 'string' && typeof one.detail === 'string';
