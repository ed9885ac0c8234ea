import { useSignal } from '@preact/signals';
import { act, control, drawn, here, isBusy, type Output, rehearsalLink, useResource } from '../data/data.ts';
import { Card, counted, useKeys } from '../kit/kit.ts';
import { CreatedCard, type CreatedRehearsal, createRehearsal } from '../rehearsals/created-card.tsx';
import { instantWords } from './axis.ts';
import { forkPoints, type KeptPoint } from './fork-point.ts';

interface ForkCardProps {
  readonly timeline: Output<'read-timeline'>;
  /** Epoch milliseconds of the clock line. */
  readonly at: number;
}

const readPoints = async (signal: AbortSignal) => {
  const [{ items }, { createdAt }] = await Promise.all([
    control('list-snapshots', undefined, { signal }),
    control('read-rehearsal', { params: { name: here() } }, { signal }),
  ]);
  return { items, createdAt };
};

/** Forks the rehearsal at the nearest kept point at or before the clock line, and moves the clock of the fork to the line. */
export function ForkCard({ timeline, at }: ForkCardProps) {
  const points = useResource('kept points', readPoints, { follows: ['gap'] });
  const created = useSignal<CreatedRehearsal | undefined>(undefined);
  const fork = (point: KeptPoint, to: number): Promise<void> =>
    act('fork', async () => {
      const from = point.snapshot === undefined ? { rehearsal: here() } : { snapshot: point.snapshot };
      created.value = await createRehearsal({ from });
      const { name } = created.value;
      const now = to > point.at ? await replay(name, to) : instantWords(point.at);
      return {
        text: `${name} continues from ${now}.`,
        link: { href: rehearsalLink(name, 'timelines', timeline.type, timeline.id), words: 'Its timeline' },
      };
    });
  const keep = (): Promise<void> =>
    act('keep', async () => {
      const name = `${here().slice(0, 24)}-${timeline.now.replaceAll(/\D/g, '').slice(0, 14)}`;
      await control('save-snapshot', { params: { name }, body: { rehearsal: here() } });
      points.reload();
      return `The snapshot ${name} is kept: later forks can begin here.`;
    });
  const asked = { at, now: Date.parse(timeline.now), rehearsal: here(), since: points.value?.createdAt ?? '' };
  const { nearest, later } = forkPoints(points.value?.items ?? [], asked);
  const forkHere = (): void => {
    if (points.value && nearest) void fork(nearest, at);
  };
  useKeys({ f: forkHere });
  return (
    <>
      <Card title="Fork from here">
        <div class="in stack-tight">
          {drawn(points, () =>
            nearest ? (
              <>
                <p>{wordsOf(nearest, at, timeline)}</p>
                <p>
                  <button type="button" class="primary" aria-disabled={isBusy()} onClick={forkHere}>
                    Fork from here <kbd>f</kbd>
                  </button>
                </p>
              </>
            ) : (
              <>
                <p>No kept point is early enough. A fork can begin later:</p>
                <ul class="stack-tight">
                  {later.map((point) => (
                    <li key={point.snapshot} class="line">
                      <button type="button" aria-disabled={isBusy()} onClick={() => void fork(point, point.at)}>
                        {point.snapshot === undefined ? 'Fork from now' : 'Fork from the next point'}
                      </button>
                      <span class="brk muted small">
                        {point.snapshot} {instantWords(point.at)}
                      </span>
                    </li>
                  ))}
                </ul>
              </>
            ),
          )}
          <p class="line">
            <button type="button" aria-disabled={isBusy()} onClick={() => void keep()}>
              Keep now as a point
            </button>
            <span class="muted small">A kept point is a snapshot of this rehearsal.</span>
          </p>
        </div>
      </Card>
      {created.value && <CreatedCard created={created.value} about={`A fork of ${here()}.`} />}
    </>
  );
}

/** Stops the clock of a fork and moves it to an instant: the work that was due runs again. @returns the instant in words */
async function replay(rehearsal: string, to: number): Promise<string> {
  const { now } = await control('set-clock', { body: { flowing: false } }, { rehearsal });
  if (Date.parse(now) >= to) return instantWords(Date.parse(now));
  const moved = await control('advance-clock', { body: { to: new Date(to).toISOString() } }, { rehearsal });
  return instantWords(Date.parse(moved.now));
}

/** What the fork begins with, and what it lacks. */
function wordsOf({ snapshot, at: begun }: KeptPoint, at: number, { marks, omitted, type }: Output<'read-timeline'>): string {
  if (snapshot === undefined) return 'The fork begins now, with everything that happened.';
  const first = marks[0] && omitted === 0 ? Date.parse(marks[0].at) : undefined;
  const begins = `The fork begins at the kept point ${snapshot} of ${instantWords(begun)}.`;
  if (begun >= at) return begins;
  const between = marks.filter((mark) => mark.fromClient && Date.parse(mark.at) > begun && Date.parse(mark.at) <= at).length;
  const lacks = between > 0 ? ` ${counted(between, 'request')} of clients in between ${between === 1 ? 'is' : 'are'} not repeated.` : '';
  const absent = first !== undefined && first > begun ? ` The ${type.replaceAll('-', ' ')} did not exist there.` : '';
  return `${begins} Its clock then moves to the line, and due work runs again.${lacks}${absent}`;
}
