import type { FieldError } from '../catalog/problems.ts';
import { secretIn } from '../domain/redaction.ts';
import { type Part, pointerTo, validationFailed } from './validation.ts';

const REMEDY = {
  card_number: 'This holds the number of a payment card, which the estate never stores; send a token, or leave it out.',
  credential: 'This holds a credential, which the estate never stores; leave it out, and replace it if it is in use.',
} as const;
/** Deeper than any schema goes. */
const DEEPEST = 64;

/**
 * What a client sends is stored, shown and sent out in events as it is: numbers of cards and credentials are refused in every string and
 * number of a body or path, whatever its schema says.
 * @throws Problem `validation_failed` naming each member that holds one
 */
export function refuseSecrets(sent: unknown, part: Part = 'body'): void {
  const errors = [...secretsIn(sent, part, [])];
  if (errors.length > 0) throw validationFailed(errors);
}

function* secretsIn(value: unknown, part: Part, path: readonly PropertyKey[]): Generator<FieldError, void> {
  if (path.length > DEEPEST) return;
  if (typeof value === 'string' || typeof value === 'number') {
    const code = secretIn(String(value));
    if (code) yield { pointer: pointerTo(part, path), code, detail: REMEDY[code] };
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* secretsIn(member, part, [...path, name]);
  }
}
