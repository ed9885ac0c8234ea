import { type FieldError, MOST_ERRORS } from '../catalog/problems.ts';
import { type Breathe, breathing } from '../domain/breathe.ts';
import { CENSOR } from '../domain/censor.ts';
import { searchedPieces, secretIn } from '../domain/redaction.ts';
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
  refuseEach(sent, part, secretOrRedacted);
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

/** As `withoutSecrets`, for bodies with texts that no schema limits. A long body is searched in pieces. */
export async function withoutSecretsInTurns<T>(
  body: { readonly value: unknown; readonly text: string },
  validate: () => T,
  inSlices: (run: (breathe: Breathe) => Promise<void>) => Promise<void>,
): Promise<T> {
  if (body.text.length <= LONG) return withoutSecrets(body, validate);
  const valid = validate();
  await inSlices((breathe) => refuseInPieces(body.value, secretOrRedacted, breathe));
  return valid;
}

/**
 * Refuses card numbers and credentials in a valid file, which may have redacted values. A long text is searched in pieces.
 * @throws Problem `validation_failed` naming the first such members
 */
export const refuseSecretsInFile = (file: unknown, breathe: Breathe): Promise<void> => refuseInPieces(file, secretIn, breathe);

async function refuseInPieces(sent: unknown, judge: Judge, breathe: Breathe): Promise<void> {
  const errors: FieldError[] = [];
  for (const [path, text] of textsIn(sent, [])) {
    for await (const piece of breathing(searchedPieces(text), breathe)) {
      const code = judge(piece);
      if (!code) continue;
      errors.push({ pointer: pointerTo('body', path), code, detail: REMEDY[code] });
      break;
    }
    if (errors.length === MOST_ERRORS) break;
  }
  if (errors.length > 0) throw validationFailed(errors);
}

/** Refuses redacted values: a request copied from the journal or a log would change its meaning. @throws Problem `validation_failed` */
export function refuseRedacted(sent: unknown, part: Part): void {
  refuseEach(sent, part, redactedIn);
}

type Refused = keyof typeof REMEDY;
type Judge = (text: string) => Refused | undefined;

const redactedIn = (text: string): Refused | undefined => (text.includes(CENSOR) ? 'redacted' : undefined);

const secretOrRedacted: Judge = (text) => secretIn(text) ?? redactedIn(text);

function refuseEach(sent: unknown, part: Part, judge: Judge): void {
  if (isAccepted(sent, judge)) return;
  // The search ends when a problem cannot list more: a body may have tens of thousands of card numbers.
  const errors: FieldError[] = [];
  for (const [path, text] of textsIn(sent, [])) {
    const code = judge(text);
    if (!code) continue;
    errors.push({ pointer: pointerTo(part, path), code, detail: REMEDY[code] });
    if (errors.length === MOST_ERRORS) break;
  }
  if (errors.length > 0) throw validationFailed(errors);
}

/** Whether no text of a value is refused. It collects no paths, which only a refusal needs. */
function isAccepted(value: unknown, judge: Judge, depth = 0): boolean {
  if (depth > DEEPEST) return true;
  if (typeof value === 'string' || typeof value === 'number') return judge(String(value)) === undefined;
  if (typeof value !== 'object' || value === null) return true;
  for (const name in value) if (!isAccepted((value as Readonly<Record<string, unknown>>)[name], judge, depth + 1)) return false;
  return true;
}

/** Every string and number of a value, as text. */
function* textsIn(value: unknown, path: readonly PropertyKey[]): Generator<readonly [path: readonly PropertyKey[], text: string], void> {
  if (path.length > DEEPEST) return;
  if (typeof value === 'string' || typeof value === 'number') yield [path, String(value)];
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* textsIn(member, [...path, name]);
  }
}
