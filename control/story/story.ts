import { type Breathe, breathing } from '../../shared/domain/breathe.ts';
import { callCode, quoted } from './code.ts';
import { type Part, planOf } from './plan.ts';
import { incomplete, type Recording } from './recording.ts';
import { createCallStatements } from './story-calls.ts';
import { createOperationStatements } from './story-operations.ts';
import { countObjects, createStoryValues, put } from './story-values.ts';

/** The scenario that repeats a recording, as a file of TypeScript. @throws Problem not_recordable when nothing happened */
export async function storyOf(recording: Recording, breathe: Breathe): Promise<string> {
  const { parts, used } = await planOf(recording, breathe);
  if (parts.length === 0) throw incomplete('Nothing has happened in this rehearsal yet.', 'Call an API or the control plane in it first.');
  const values = createStoryValues(await countObjects(parts, breathe), used);
  const { step, together } = createCallStatements(values);
  const { operation, event } = createOperationStatements(values);

  async function statementsOf(part: Part): Promise<readonly string[]> {
    switch (part.is) {
      case 'step':
        return step(part.planned);
      case 'together':
        return together(part.planned, breathe);
      case 'operation':
        return operation(part.operation, part);
      case 'event':
        return event(part.event);
      case 'pause':
        return [put('await ', callCode('stage.advance', quoted(`PT${part.seconds}S`)))];
    }
  }

  const lines: string[] = [];
  for await (const [place, part] of breathing(parts.entries(), breathe)) {
    const [before, next] = [parts[place - 1], parts[place + 1]];
    const isParagraph = before !== undefined && startsParagraph(part) && !startsParagraph(before);
    const settle = needsRest(part) && next !== undefined && startsCall(next) ? [put('await ', callCode('stage.settle'))] : [];
    lines.push(...(isParagraph ? [''] : []), ...(await statementsOf(part)), ...settle);
  }
  const { rehearsal, startsAt } = recording;
  return `${[
    `import type { Scenario } from 'unified-commerce-estate';`,
    '',
    ...values.constants(),
    'export const recorded: Scenario = {',
    `  name: ${quoted(`recorded-${rehearsal}`)},`,
    `  title: ${quoted(`What happened in the rehearsal ${rehearsal}`)},`,
    ...(startsAt === undefined ? [] : [`  startsAt: ${quoted(startsAt)},`]),
    '  async run(stage) {',
    ...values.locals(),
    ...lines,
    '  },',
    '};',
  ].join('\n')}\n`;
}

/** Parts after which the estate may still be busy. */
const needsRest = (part: Part): boolean =>
  part.is === 'together' ||
  (part.is === 'step' && part.planned.call.api.auth === 'signature') ||
  (part.is === 'operation' && ['delete-fault', 'delete-faults'].includes(part.operation.id));

const startsCall = (part: Part): boolean => part.is === 'together' || (part.is === 'step' && part.planned.call.api.auth !== 'signature');

/** A clock move or a fault begins a paragraph. */
const startsParagraph = (part: Part): boolean =>
  part.is === 'pause' || (part.is === 'operation' && ['advance-clock', 'put-fault'].includes(part.operation.id));
