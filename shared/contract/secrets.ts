import { type FieldError, MOST_ERRORS } from '../catalog/problems.ts';
import { CENSOR } from '../domain/censor.ts';
import { secretIn } from '../domain/redaction.ts';
import { type Part, pointerTo, validationFailed } from './validation.ts';

export const REMEDY = {
  card_number: 'This is or contains the number of a payment card, which the estate never stores. Send a token, or leave it out.',
  redacted: `This has ${CENSOR}, which replaces a secret where the estate shows it. Send the value itself, or leave it out.`,
  credential: 'This is or contains a credential, which the estate never stores. Leave it out, and replace the credential if it is in use.',
} as const;
/** Depth of the search, which is deeper than any schema. */
const DEEPEST = 64;

/**
 * Refuses card numbers, credentials and redacted values in every string and number of a body or path, even where a schema allows them,
 * because the estate stores these values and publishes them in events.
 * @throws Problem `validation_failed` naming each such member
 */
export function refuseSecrets(sent: unknown, part: Part = 'body'): void {
  refuseEach(sent, part, (text) => secretIn(text) ?? redactedIn(text));
}

/** Characters of a body above which its schema comes before the search: what the schema refuses by length need not be searched. */
const LONG = 65_536;

/**
 * Validates a body and refuses secrets in it. In a body of usual length, a secret is named even if the schema refuses its member.
 * @param validate throws Problem `validation_failed`
 */
export function withoutSecrets<T>({ value, text }: { readonly value: unknown; readonly text: string }, validate: () => T): T {
  if (text.length <= LONG) refuseSecrets(value);
  const valid = validate();
  if (text.length > LONG) refuseSecrets(value);
  return valid;
}

/** Refuses card numbers and credentials in a file that may have redacted values. @throws Problem `validation_failed` naming each such member */
export function refuseSecretsInFile(file: unknown): void {
  refuseEach(file, 'body', secretIn);
}

/** Refuses redacted values: a request copied from the journal or a log would change its meaning. @throws Problem `validation_failed` */
export function refuseRedacted(sent: unknown, part: Part): void {
  refuseEach(sent, part, redactedIn);
}

type Refused = keyof typeof REMEDY;

const redactedIn = (text: string): Refused | undefined => (text.includes(CENSOR) ? 'redacted' : undefined);

function refuseEach(sent: unknown, part: Part, judge: (text: string) => Refused | undefined): void {
  // The search ends when a problem cannot list more: a body may have tens of thousands of card numbers.
  const errors: FieldError[] = [];
  for (const [path, code] of refusedIn(sent, [], judge)) {
    errors.push({ pointer: pointerTo(part, path), code, detail: REMEDY[code] });
    if (errors.length === MOST_ERRORS) break;
  }
  if (errors.length > 0) throw validationFailed(errors);
}

function* refusedIn(
  value: unknown,
  path: readonly PropertyKey[],
  judge: (text: string) => Refused | undefined,
): Generator<readonly [path: readonly PropertyKey[], code: Refused], void> {
  if (path.length > DEEPEST) return;
  if (typeof value === 'string' || typeof value === 'number') {
    const code = judge(String(value));
    if (code) yield [path, code];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* refusedIn(member, [...path, name], judge);
  }
}
