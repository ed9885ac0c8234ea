import type { Context } from '../../control/context.ts';
import { redactedStart } from '../../domain/redaction.ts';
import { instant } from '../../domain/time.ts';
import { ifPossible } from '../../process/harmless.ts';
import type { ApplicationParts } from '../../work/application-parts.ts';
import { changeRecords } from '../../work/records.ts';
import { EMPTY_LOG, type SwapLog, swapLogs } from './stored-swap.ts';

/** The answer to a call of a real system. */
export interface LoggedAnswer {
  readonly api: string;
  /** 0: no answer. */
  readonly status: number;
  readonly durationMs: number;
  readonly violation?: { readonly name: string; readonly detail: string };
}

/** Limit of violations that a world keeps. The latest stay. */
const MOST_VIOLATIONS = 50;
const DETAIL_CHARACTERS = 500;

/** Counts an answer in the world. It never throws. */
export const logAnswer = (parts: Pick<ApplicationParts, 'store' | 'log'>, context: Context, answer: LoggedAnswer): Promise<void> =>
  ifPossible(parts.log, 'counting the answer of a real system', () =>
    changeRecords(parts.store, context, async (work) => {
      work.put(swapLogs, withAnswer((await work.get(swapLogs, 'log')) ?? EMPTY_LOG, answer));
    }),
  );

function withAnswer(before: Omit<SwapLog, 'version'>, { api, status, durationMs, violation }: LoggedAnswer): Omit<SwapLog, 'version'> {
  const at = instant(Date.now());
  const isFailed = violation !== undefined || status === 0;
  return {
    ...before,
    calls: before.calls + 1,
    failed: before.failed + (isFailed ? 1 : 0),
    last: { api, status, at, durationMs },
    violations: violation ? withViolation(before.violations, { api, at, ...violation }) : before.violations,
  };
}

function withViolation(
  violations: SwapLog['violations'],
  { name, api, detail, at }: Omit<SwapLog['violations'][number], 'count'>,
): SwapLog['violations'] {
  const same = violations.find((one) => one.name === name && one.api === api);
  const shown = redactedStart(detail).slice(0, DETAIL_CHARACTERS);
  return [...violations.filter((one) => one !== same), { name, api, count: (same?.count ?? 0) + 1, detail: shown, at }].slice(
    -MOST_VIOLATIONS,
  );
}
