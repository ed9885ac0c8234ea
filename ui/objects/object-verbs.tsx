import { act, applicationTitle, busy, control, live } from '../data/data.ts';
import type { Move } from '../life-cycle/life-cycle-graph.ts';

type Play = (id: string, verb: string) => Promise<unknown>;

/** The operations that play the outside world, by their id in a life cycle. */
const PLAYS: Readonly<Record<string, Play>> = {
  'play-scan': (id, scan) => control('play-scan', { params: { id, scan }, body: {} }),
  'move-return-by-hand': (id, verb) => control('move-return-by-hand', { params: { id, verb }, body: {} }),
  'move-product-by-hand': (id, verb) => control('move-product-by-hand', { params: { id, verb }, body: {} }),
  'move-customer-by-hand': (id, verb) => control('move-customer-by-hand', { params: { id, verb }, body: {} }),
};

export interface Verb {
  readonly verb: string;
  readonly control: string;
  readonly triggers: readonly string[];
  readonly from: readonly string[];
  /** From the present state; empty: impossible. */
  readonly to: readonly string[];
}

/** The verbs of the outside world: those that are possible now come first. */
export function verbsOf(moves: readonly Move[], state: string | undefined): readonly Verb[] {
  const played = moves.filter(({ control: operation }) => operation !== undefined);
  const verbs = [...Map.groupBy(played, ({ verb }) => verb)].map(([verb, same]) => ({
    verb,
    control: same[0]?.control ?? '',
    triggers: [...new Set(same.map(({ trigger }) => trigger))],
    from: [...new Set(same.flatMap(({ from }) => (from === null ? [] : [from])))],
    to: [...new Set(same.filter(({ from }) => from === state).map(({ to }) => to))],
  }));
  return verbs.toSorted((one, other) => Number(one.to.length === 0) - Number(other.to.length === 0));
}

/** Why the outside world cannot act now. */
export function whyNot(owner: string, away: string | undefined): string | undefined {
  if (away !== undefined) return `The ${applicationTitle(owner)} is away: ${away}`;
  return live.value.kind === 'reconnecting' ? 'The connection to the estate is broken.' : undefined;
}

export interface ObjectVerbsProps {
  readonly type: string;
  readonly id: string;
  readonly state: string | undefined;
  readonly verbs: readonly Verb[];
  /** Why no verb is possible now. */
  readonly obstacle: string | undefined;
  readonly onPlayed: () => void;
}

/** A button for each verb. An impossible verb can be focused, so that its reason can be read. */
export const ObjectVerbs = ({ type, id, state, verbs, obstacle, onPlayed }: ObjectVerbsProps) => (
  <ul class="verbs">
    {verbs.map((verb, place) => {
      const isPossible = verb.to.length > 0 && obstacle === undefined;
      const play = (): Promise<void> =>
        act(`play ${verb.verb}`, async () => {
          await PLAYS[verb.control]?.(id, verb.verb);
          onPlayed();
          return `${verb.verb}: the ${type} is ${verb.to.join(' or ')}.`;
        });
      return (
        <li key={verb.verb}>
          <button
            type="button"
            class={isPossible ? 'verb-button possible' : 'verb-button'}
            aria-disabled={!isPossible || busy.value !== undefined ? 'true' : undefined}
            aria-describedby={`verb-${place}`}
            onClick={() => isPossible && void play()}
          >
            {verb.verb}
          </button>
          <span id={`verb-${place}`} class="muted">
            {reasonOf(verb, state, obstacle)}
          </span>
        </li>
      );
    })}
  </ul>
);

function reasonOf({ to, from, triggers }: Verb, state: string | undefined, obstacle: string | undefined): string {
  if (to.length === 0) return `Only when it is ${from.join(', ')}; it is ${state ?? 'nothing of that'}.`;
  return obstacle ?? `→ ${to.join(' or ')}: ${triggers.join('; ')}`;
}
