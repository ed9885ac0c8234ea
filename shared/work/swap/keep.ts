import { z } from 'zod';
import { type ApiDefinition, isMutating } from '../../catalog/define.ts';
import { objects } from '../../catalog/objects.ts';
import { MOST_KEPT } from '../../catalog/swap.ts';
import { openMembers } from '../../contract/validation.ts';
import type { Context } from '../../control/context.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { CENSOR } from '../../domain/censor.ts';
import { digest } from '../../domain/ids.ts';
import { MOST_REDACTED, redactValue } from '../../domain/redaction.ts';
import { ifPossible } from '../../process/harmless.ts';
import { jsonIn } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import { changeRecords } from '../records.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { findKept, type RecordedAnswer, withoutInstants } from './kept-answers.ts';
import type { OutsideReply } from './outside-call.ts';
import { excessOf, notKept } from './read-answer.ts';
import { keptIds, keptRecords, keptUses, type StoredSwap } from './stored-swap.ts';

/** Id of the row that counts the recorded answers. */
const RECORDED = 'number';

type Input = { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown };

/** Replaces a secret in kept answers. They are sent to the estate, which would refuse `CENSOR`. */
const SECRET = 'redacted';

/** A value whose secrets are replaced by values that the estate accepts. */
function withoutSecrets(value: unknown): unknown {
  const replaced = (original: unknown, shown: unknown): unknown => {
    if (typeof shown === 'string') return typeof original === 'number' ? 0 : shown.replaceAll(CENSOR, SECRET);
    if (Array.isArray(shown)) return shown.map((one, index) => replaced((original as readonly unknown[])[index], one));
    if (typeof shown !== 'object' || shown === null) return shown;
    const originals = Object.values(original as object);
    return Object.fromEntries(
      Object.entries(shown).map(([name, one], index) => [name.replaceAll(CENSOR, SECRET), replaced(originals[index], one)]),
    );
  };
  return replaced(value, redactValue(value));
}

const requestOf = ({ params, query, body }: Input) =>
  withoutSecrets(JSON.parse(JSON.stringify({ params, query, body }))) as RecordedAnswer['request'];

/**
 * The members of a success that the catalog declares. Other answers are kept whole: they show what the real system did. Nothing is kept of
 * one that is too long to be redacted.
 */
function answerOf(api: ApiDefinition, { status, body }: OutsideReply): unknown {
  const text = body.toString();
  if (excessOf(text) !== undefined) return null;
  const value = jsonIn(text) ?? null;
  const declared = status < 300 ? openMembers(api.response, value) : undefined;
  if (declared?.success) return withoutSecrets(JSON.parse(JSON.stringify(declared.data ?? null)));
  return text.length > MOST_REDACTED ? null : withoutSecrets(value);
}

/** Whether a schema has a business object of an application. */
function hasObject(schema: z.core.$ZodType, application: ApiDefinition['application']): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return hasObject(schema.unwrap(), application);
  if (schema instanceof z.ZodArray) return hasObject(schema.element, application);
  if (!(schema instanceof z.ZodObject)) return false;
  const { shape } = schema;
  const isOne = objects.some(
    ({ owner, schema: of }) =>
      owner === application && 'version' in of.shape && Object.entries(of.shape).every(([name, member]) => shape[name] === member),
  );
  return isOne || Object.values<z.core.$ZodType>(shape).some((member) => hasObject(member, application));
}

interface Call {
  readonly swap: StoredSwap;
  readonly api: ApiDefinition;
  readonly input: Input;
}

/** Records what a real system answered, if its swap keeps answers. Secrets in both bodies are replaced. */
export async function keepAnswer(
  parts: Pick<ApplicationParts, 'store' | 'log'>,
  context: Context,
  { swap, api, input, reply }: Call & { readonly reply: OutsideReply },
): Promise<void> {
  if (!swap.keep) return;
  const recorded: RecordedAnswer = {
    api: api.id,
    request: requestOf(input),
    status: reply.status,
    answer: answerOf(api, reply),
    now: context.now,
  };
  await ifPossible(parts.log, 'keeping the answer of a real system', () =>
    changeRecords(parts.store, context, async (work) => {
      const count = (await work.get(keptUses, RECORDED))?.count ?? 0;
      if (count >= MOST_KEPT) return;
      work.put(keptUses, { id: RECORDED, count: count + 1 });
      work.put(keptRecords, { id: String(count).padStart(6, '0'), recorded });
    }),
  );
}

/** The kept reply of a real system to an equal call. @throws Violation `not_kept` */
export async function keptReply(work: UnitOfWork, { swap, api, input }: Call): Promise<OutsideReply> {
  const request = requestOf(input);
  const id = digest(api.id, canonicalJson(withoutInstants(request)));
  const earlier = (await work.get(keptUses, id))?.count ?? 0;
  const bound = (await work.get(keptIds, 'ids'))?.bound ?? {};
  // An answer that changes an object is given once: given again, it would show a second object with the same id, or an old state.
  const changesObject = isMutating(api) && !api.storesNothing && hasObject(api.response, api.application);
  const mayRepeat = ({ status }: { readonly status: number }): boolean => status >= 300 || !changesObject;
  const found = findKept(swap.answers?.[api.id] ?? [], { request, now: work.now, bound, earlier, mayRepeat });
  if (found.is === 'unknown') {
    throw notKept(api, found.nearest ?? `No call of ${api.id} is kept.`);
  }
  work.put(keptUses, { id, count: earlier + 1 });
  work.put(keptIds, { id: 'ids', bound: found.bound });
  return { status: found.status, body: Buffer.from(JSON.stringify(found.answer)), retryAfter: undefined, durationMs: 0 };
}
