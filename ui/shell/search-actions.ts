import { act, advance, clock, faults, held, navigate, type Output, rehearsalLink, setFlowing, settle, verify } from '../data/data.ts';
import { dropAllFaults, dropFault, isSet, setPreset } from '../faults/fault-switch.ts';
import { runScenario } from '../flows/run-list.tsx';
import { createRehearsal } from '../rehearsals/created-card.tsx';

/** A result: choosing it closes the search and runs it. */
export interface Found {
  readonly group: string;
  readonly title: string;
  readonly note?: string;
  readonly run: () => unknown;
}

interface ActionsInput {
  /** The typed text. A length of time in it offers to move the clock by that length. */
  readonly text: string;
  /** Undefined: no rehearsal is shown. */
  readonly rehearsal: string | undefined;
  readonly scenarios: Output<'list-scenarios'>['items'];
  readonly presets: Output<'list-fault-presets'>['items'];
  readonly rehearsals: readonly string[];
}

/** The actions that the search offers. */
export function actionsFor({ text, rehearsal, scenarios, presets, rehearsals }: ActionsInput): readonly Found[] {
  const doing = (title: string, run: () => unknown, note?: string): Found => ({ group: 'Actions', title, note, run });
  const typed = lengthIn(text);
  const ofRehearsal =
    rehearsal === undefined
      ? []
      : [
          ...(typed ? [doing(`Advance the clock by ${typed.words}`, () => advance({ by: typed.duration }), text)] : []),
          ...LENGTHS.filter(([, by]) => by !== typed?.duration).map(([words, by]) =>
            doing(`Advance the clock by ${words}`, () => advance({ by })),
          ),
          clock.value?.flowing === false
            ? doing('Resume the clock', () => setFlowing(true))
            : doing('Freeze the clock', () => setFlowing(false)),
          doing('Settle', settle, 'wait until nothing is under way'),
          doing('Verify', verify, 'check all invariants'),
          doing(held.value ? 'Show new rows' : 'Pause new rows', () => {
            held.value = !held.value;
          }),
          ...((faults.value ?? []).length > 0 ? [doing('All faults off', dropAllFaults)] : []),
          ...presets.map((preset) =>
            isSet(preset.id)
              ? doing(`Fault off: ${preset.title}`, () => dropFault(preset.id, preset.title))
              : doing(`Fault: ${preset.title}`, () => setPreset(preset), preset.effect),
          ),
        ];
  return [
    ...ofRehearsal,
    doing('New rehearsal', openNew, 'create one and open it'),
    ...scenarios.map(({ name, title }) => ({
      group: 'Flows',
      title: `Run: ${title}`,
      note: name,
      run: () => runScenario({ name, title }),
    })),
    ...rehearsals
      .filter((name) => name !== rehearsal)
      .map((name) => ({ group: 'Rehearsals', title: name, note: 'open this rehearsal', run: () => navigate(rehearsalLink(name)) })),
  ];
}

const LENGTHS = [
  ['15 minutes', 'PT15M'],
  ['1 hour', 'PT1H'],
  ['1 day', 'P1D'],
  ['2 days', 'P2D'],
  ['1 week', 'P7D'],
] as const;

/** `advance the clock 3 days` or `+3d` as a duration. */
function lengthIn(text: string): { readonly words: string; readonly duration: string } | undefined {
  const [, count = '', unit = ''] = /(?:^|[\s+])(\d{1,5})\s*(m|h|d|w)[a-z]*\s*$/i.exec(text) ?? [];
  const known = { m: ['minute', 'PT%M'], h: ['hour', 'PT%H'], d: ['day', 'P%D'], w: ['week', 'P%W'] }[unit.toLowerCase()];
  const [name, pattern] = known ?? [];
  if (name === undefined || pattern === undefined) return undefined;
  return { words: `${count} ${name}${count === '1' ? '' : 's'}`, duration: pattern.replace('%', count) };
}

const openNew = (): Promise<void> =>
  act('create', async () => {
    const { name } = await createRehearsal({});
    navigate(rehearsalLink(name));
    return `The rehearsal ${name} is ready.`;
  });
