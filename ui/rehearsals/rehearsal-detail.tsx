import { useSignal } from '@preact/signals';
import { act, control, drawn, estateLink, isBusy, type Output, rehearsalLink, useRead } from '../data/data.ts';
import { Card, counted, download, PageHead, Pair, rehearsalTime } from '../kit/kit.ts';
import { UnknownRehearsal } from '../shell/picker.tsx';
import { InvariantsCard } from './invariants-card.tsx';
import { KeepCard } from './keep-card.tsx';
import { ParkedCard } from './parked-card.tsx';
import { ProgressionCard } from './progression-card.tsx';
import { EndCard } from './rehearsal-end-card.tsx';
import { useOf, wallInstant } from './rehearsal-times.ts';
import { SwapsCard } from './swaps-card.tsx';
import { WorldCard } from './world-card.tsx';

/** The administration of one rehearsal: contents, real systems, invariants, parked work, snapshots, reset and delete, and progression. */
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
              <SwapsCard key={`swaps ${round.value}`} name={name} />
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

/** Downloads what happened as a scenario for `rehearse`. */
const saveStory = (name: string): Promise<void> =>
  act('save', async () => {
    const { text } = await control('read-story', {}, { rehearsal: name });
    const file = `recorded-${name}.ts`;
    download(file, new Blob([text], { type: 'text/plain' }));
    return `${file} was downloaded. “npm run rehearse -- ${file}” runs it; see docs/how-to/own-scenarios.md.`;
  });

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
