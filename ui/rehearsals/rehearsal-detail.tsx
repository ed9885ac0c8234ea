import { useSignal } from '@preact/signals';
import { drawn, estateLink, isBusy, type Output, rehearsalLink, useRead } from '../data/data.ts';
import { Card, counted, PageHead, Pair, rehearsalTime } from '../kit/kit.ts';
import { UnknownRehearsal } from '../shell/picker.tsx';
import { InvariantsCard } from './invariants-card.tsx';
import { KeepCard } from './keep-card.tsx';
import { ParkedCard } from './parked-card.tsx';
import { ProgressionCard } from './progression-card.tsx';
import { EndCard } from './rehearsal-end-card.tsx';
import { useOf, wallInstant } from './rehearsal-times.ts';
import { saveStory } from './save-story.ts';
import { WorldCard } from './world-card.tsx';

/** The administration of one rehearsal: contents, invariants, parked work, snapshots, reset and delete, and progression. */
export function RehearsalDetail({ name }: { name: string }) {
  const read = useRead('read-rehearsal', { params: { name } });
  const round = useSignal(0);
  const again = (): void => {
    round.value++;
    read.reload();
  };
  if (read.refusal?.code === 'unknown_rehearsal') return <UnknownRehearsal name={name} />;
  return (
    <div class="stack">
      <PageHead title={`Rehearsal ${name}`} heading={name}>
        <p class="line">
          <a class="button" href={estateLink('rehearsals')}>
            ← All rehearsals
          </a>
          <a class="button" href={rehearsalLink(name)}>
            Overview
          </a>
          <a class="button" href={rehearsalLink(name, 'systems')}>
            Your systems
          </a>
          <button type="button" aria-disabled={isBusy()} onClick={() => void saveStory(name)}>
            Save as scenario
          </button>
        </p>
      </PageHead>
      {drawn(read, (one) => (
        <>
          <Contents one={one} />
          <div class="over">
            <div class="stack">
              <InvariantsCard name={name} />
              <ParkedCard key={round.value} name={name} />
              <KeepCard key={name} name={name} />
              <WorldCard name={name} />
              <EndCard name={name} onReset={again} />
            </div>
            <div class="stack">
              <ProgressionCard name={name} progression={one.progression} onChange={read.reload} />
            </div>
          </div>
        </>
      ))}
    </div>
  );
}

const Contents = ({ one }: { one: Output<'read-rehearsal'> }) => {
  const { counts, now, flowing, createdAt, seed, startsAt } = one;
  return (
    <Card label="Contents">
      <dl class="in pairs">
        {[
          ['Clock', `${rehearsalTime(now)}, ${flowing ? 'flows with wall time' : 'stands still until it is moved'}`],
          ['Created', wallInstant(createdAt)],
          ...(seed === undefined ? [] : [['Seed', seed]]),
          ...(startsAt === undefined ? [] : [['Start of its clock', rehearsalTime(startsAt)]]),
          ['Use', useOf(one)],
          [
            'Contents',
            [
              counted(counts.traces, 'trace'),
              counted(counts.hops, 'hop'),
              counted(counts.events, 'event'),
              counted(counts.faults, 'fault'),
              `${counts.parked.toLocaleString('en')} parked`,
            ].join(', '),
          ],
        ].map(([term = '', text]) => (
          <Pair key={term} term={term}>
            {text}
          </Pair>
        ))}
      </dl>
    </Card>
  );
};
