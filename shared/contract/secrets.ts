import type { FieldError } from '../catalog/problems.ts';
import { secretIn } from '../domain/redaction.ts';
import { type Part, pointerTo, validationFailed } from './validation.ts';

const REMEDY = {
  card_number: 'This is or contains the number of a payment card, which the estate never stores. Send a token, or leave it out.',
  credential: 'This is or contains a credential, which the estate never stores. Leave it out, and replace the credential if it is in use.',
} as const;
/** Deeper than any schema. */
const DEEPEST = 64;

/**
 * Refuses card numbers and credentials in every string and number of a body or path, also where a schema allows them. The estate stores these
 * values and publishes them in events.
 * @throws Problem `validation_failed` naming each such member
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
