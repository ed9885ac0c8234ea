import { z } from 'zod';
import { type ApiDefinition, isMutating } from '../../catalog/define.ts';
import { objects } from '../../catalog/objects.ts';
import { MOST_KEPT } from '../../catalog/swap.ts';
import { openMembers } from '../../contract/validation.ts';
import type { Context } from '../../control/context.ts';
import type { Breathe } from '../../domain/breathe.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { CENSOR } from '../../domain/censor.ts';
import { digest } from '../../domain/ids.ts';
import { redactValue, startOfValue } from '../../domain/redaction.ts';
import { ifPossible } from '../../process/harmless.ts';
import { inShortTurns } from '../../process/waiting.ts';
import type { ApplicationParts } from '../../work/application-parts.ts';
import { changeRecords } from '../../work/records.ts';
import type { UnitOfWork } from '../../work/unit-of-work.ts';
import { findKept, type RecordedAnswer, withoutInstants } from './kept-answers.ts';
import type { OutsideReply } from './outside-call.ts';
import { notKept, outsideJsonIn } from './read-answer.ts';
import { keptIds, keptRecords, keptUses, type StoredSwap } from './stored-swap.ts';

/** Id of the row that counts the recorded answers. */
const RECORDED = 'number';

/** JSON characters of all recorded answers of a world. One request reads them all. */
const MOST_CHARACTERS = 4_194_304;

type Input = { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown };

/** Replaces a secret in kept answers. They are sent to the estate, which would refuse `CENSOR`. */
const SECRET = 'redacted';

/** A value whose secrets are replaced by values that the estate accepts. A real system may answer with thousands of values. */
async function withoutSecrets(value: unknown, breathe: Breathe): Promise<unknown> {
  const waiting = breathe();
  if (waiting) await waiting;
  if (typeof value === 'number') return redactValue(value) === value ? value : 0;
  if (typeof value === 'string') return withoutCensor(redactValue(value));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await withoutSecrets(item, breathe));
    return items;
  }
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const [[shown, part] = []] = Object.entries(redactValue({ [name]: '' }) as object);
    const isSecret = part === CENSOR && member !== null;
    const secret = typeof member === 'number' ? 0 : SECRET;
    members.push([withoutCensor(shown), isSecret ? secret : await withoutSecrets(member, breathe)]);
  }
  return Object.fromEntries(members);
}

const withoutCensor = (text: unknown): string => String(text).replaceAll(CENSOR, SECRET);

const requestOf = async ({ params, query, body }: Input) =>
  (await withoutSecrets(JSON.parse(JSON.stringify({ params, query, body })), inShortTurns())) as RecordedAnswer['request'];

/** The members of a success that the catalog declares. Of other answers the start is kept: it shows what the real system did. */
function answerOf(api: ApiDefinition, { status, body }: OutsideReply): Promise<unknown> {
  const value = outsideJsonIn(body.toString()) ?? null;
  const declared = status < 300 ? openMembers(api.response, value) : undefined;
  const kept: unknown = declared?.success ? JSON.parse(JSON.stringify(declared.data ?? null)) : startOfValue(value);
  return withoutSecrets(kept, inShortTurns());
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
    request: await requestOf(input),
    status: reply.status,
    answer: await answerOf(api, reply),
    now: context.now,
  };
  const { length } = JSON.stringify(recorded);
  await ifPossible(parts.log, 'keeping the answer of a real system', () =>
    changeRecords(parts.store, context, async (work) => {
      const { count, characters = 0 } = (await work.get(keptUses, RECORDED)) ?? { count: 0 };
      if (count >= MOST_KEPT || characters + length > MOST_CHARACTERS) return;
      work.put(keptUses, { id: RECORDED, count: count + 1, characters: characters + length });
      work.put(keptRecords, { id: String(count).padStart(6, '0'), recorded });
    }),
  );
}

/** The kept reply of a real system to an equal call. @throws Violation `not_kept` */
export async function keptReply(work: UnitOfWork, { swap, api, input }: Call): Promise<OutsideReply> {
  const request = await requestOf(input);
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
