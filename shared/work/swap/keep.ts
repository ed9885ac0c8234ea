import type { ApiDefinition } from '../../catalog/define.ts';
import { MOST_KEPT } from '../../catalog/swap.ts';
import type { Context } from '../../control/context.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { digest } from '../../domain/ids.ts';
import { redactValue } from '../../domain/redaction.ts';
import { ifPossible } from '../../process/harmless.ts';
import { jsonIn } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { findKept, type RecordedAnswer } from './kept-answers.ts';
import type { OutsideReply } from './outside-call.ts';
import { isTooDeep, unacceptable } from './read-answer.ts';
import { recordInWorld } from './record-in-world.ts';
import { keptIds, keptRecords, keptUses, type StoredSwap } from './stored-swap.ts';

/** Id of the row that counts the recorded answers. */
const RECORDED = 'number';

type Input = { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown };

const requestOf = ({ params, query, body }: Input) => JSON.parse(JSON.stringify({ params, query, body })) as RecordedAnswer['request'];

/** Records what a real system answered, if its swap keeps answers. Credentials in both bodies are left out. */
export async function keepAnswer(
  parts: Pick<ApplicationParts, 'store' | 'log'>,
  context: Context,
  {
    swap,
    api,
    input,
    reply,
  }: { readonly swap: StoredSwap; readonly api: ApiDefinition; readonly input: Input; readonly reply: OutsideReply },
): Promise<void> {
  if (!swap.keep) return;
  const text = reply.body.toString();
  const recorded: RecordedAnswer = {
    api: api.id,
    request: redactValue(requestOf(input)) as RecordedAnswer['request'],
    status: reply.status,
    answer: isTooDeep(text) ? null : redactValue(jsonIn(text) ?? null),
    now: context.now,
  };
  await ifPossible(parts.log, 'keeping the answer of a real system', () =>
    recordInWorld(parts, context, async (work) => {
      const count = (await work.get(keptUses, RECORDED))?.count ?? 0;
      if (count >= MOST_KEPT) return;
      work.put(keptUses, { id: RECORDED, count: count + 1 });
      work.put(keptRecords, { id: String(count).padStart(6, '0'), recorded });
    }),
  );
}

/** The kept reply of a real system to such a call. @throws Violation `not_kept` */
export async function keptReply(
  work: UnitOfWork,
  { swap, api, input }: { readonly swap: StoredSwap; readonly api: ApiDefinition; readonly input: Input },
): Promise<OutsideReply> {
  const request = requestOf(input);
  const id = digest(api.id, canonicalJson(request));
  const earlier = (await work.get(keptUses, id))?.count ?? 0;
  const bound = (await work.get(keptIds, 'ids'))?.bound ?? {};
  const found = findKept(swap.answers?.[api.id] ?? [], { request, now: work.now, bound, earlier });
  if (found.is === 'unknown') {
    const nearest = found.nearest ?? `No call of ${api.id} is kept.`;
    throw unacceptable('not_kept', api, `has no kept answer to this call of ${api.id}. ${nearest}`);
  }
  work.put(keptUses, { id, count: earlier + 1 });
  work.put(keptIds, { id: 'ids', bound: found.bound });
  return { status: found.status, body: Buffer.from(JSON.stringify(found.answer)), retryAfter: undefined, durationMs: 0 };
}
