import type { Output } from '../data/data.ts';

/** A story as the estate returns it. */
export type Story = Output<'read-play'>;
export type Step = Story['steps'][number];

/** The step of an address, from 1: the first one without a number, the last one above the end. */
export function stepIn(text: string | null, { steps }: Story): number {
  const asked = Number(text ?? '1');
  return Number.isSafeInteger(asked) ? Math.max(1, Math.min(steps.length, asked)) : 1;
}

/** Time to read a sentence, in milliseconds. */
export const paceOf = ({ sentence, changes }: Step): number =>
  Math.min(8_000, 1_600 + 40 * (sentence.length + changes.reduce((sum, words) => sum + words.length, 0)));

/** What the story lacks, as sentences. */
export const missingIn = ({ omitted, truncated }: Story): readonly string[] => [
  ...(omitted > 0 ? [`${omitted.toLocaleString('en')} later ${omitted === 1 ? 'exchange is' : 'exchanges are'} left out.`] : []),
  ...(truncated ? ['The journal has discarded older calls. Their events are still here.'] : []),
];

/** The clock at a step: its day and its time, in UTC. */
export const clockOf = ({ at }: Step): readonly [day: string, time: string] => [
  new Date(at).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
  at.slice(11, 16),
];

/** A name for files: `order-261128-740648`, or `order-261128-740648-step-7` for a step. */
export const fileName = ({ name }: Story, step?: number): string =>
  `${
    name
      .replaceAll(/[^\w.-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 80) || 'story'
  }${step === undefined ? '' : `-step-${step}`}`;
