import { whyUnverified } from '../../shared/catalog/control/drift.ts';
import { invariantRules } from '../../shared/catalog/control/invariants.ts';
import { busy, drawn, here, isBusy, type Output, useRead, verified, verify } from '../data/data.ts';
import { Badge, Card, counted, InvariantList, PageHead, rehearsalTime } from '../kit/kit.ts';
import { State } from '../kit/state.tsx';
import { wallInstant } from '../rehearsals/rehearsal-times.ts';

type Verdicts = Output<'list-verdicts'>['items'];
type Invariant = Output<'verify'>['invariants'][number];

const RULES = Object.entries(invariantRules);

/** Verdicts that the page lists. */
const MOST = 20;

/** What must always hold in a rehearsal: what each invariant has read, and since when it holds. */
export function Invariants() {
  const verdicts = useRead('list-verdicts', undefined, { follows: ['gap'] });
  const run = (): void => void verify().then(verdicts.reload);
  const outcome = verified.value;
  const unverified = outcome && whyUnverified(outcome.forbidden);
  return (
    <div class="stack">
      <PageHead title="Invariants" about={`What must hold in ${here()}, whatever happens.`}>
        <p class="line">
          <button type="button" class="primary" aria-disabled={isBusy()} onClick={run}>
            {busy.value === 'verify' ? 'Verifying…' : 'Verify'}
          </button>
        </p>
      </PageHead>
      {drawn(verdicts, ({ items }) => (
        <>
          {outcome ? (
            <Card title={counted(outcome.invariants.length, 'invariant')} aside={<Outcome outcome={outcome} />}>
              {!outcome.settled && (
                <p class="in">
                  <Badge tone="warn">not settled</Badge> It waits for {outcome.waitingFor.join(', ')}.
                </p>
              )}
              {unverified !== undefined && (
                <p class="in">
                  <Badge tone="warn">not verified</Badge> {unverified}
                </p>
              )}
              <InvariantList invariants={outcome.invariants} more={(invariant) => <About invariant={invariant} verdicts={items} />} />
            </Card>
          ) : (
            <Card title={counted(RULES.length, 'invariant')} aside={<Badge>not verified</Badge>}>
              <p class="in muted">
                {items[0] ? sentenceOf(items[0]) : 'This rehearsal was never verified.'} Verify settles it and checks each of them.
              </p>
              <ul class="items" aria-label="Invariants">
                {RULES.map(([id, { title }]) => (
                  <li key={id}>
                    <span>{title}</span>
                  </li>
                ))}
              </ul>
            </Card>
          )}
          {items.length > 0 && (
            <Card title="Verdicts" aside={<span class="muted small">the latest first</span>}>
              <ul class="items" aria-label="Verdicts">
                {items.slice(0, MOST).map((verdict) => (
                  <li key={verdict.number}>
                    <span>
                      {wallInstant(verdict.at)} <span class="muted">clock {rehearsalTime(verdict.now)}</span>
                    </span>
                    <State kind={verdict.holds ? 'done' : 'failed'}>
                      {verdict.holds ? `${verdict.invariants.length} hold` : `${verdict.broken.length || 'some'} broken`}
                    </State>
                    {verdict.broken.length > 0 && <p class="wrong small">{verdict.broken.join(', ')}</p>}
                  </li>
                ))}
              </ul>
            </Card>
          )}
        </>
      ))}
    </div>
  );
}

const Outcome = ({ outcome }: { outcome: Output<'verify'> }) => (
  <Badge tone={outcome.holds ? 'good' : 'bad'}>{outcome.holds ? 'all hold' : 'not all hold'}</Badge>
);

const sentenceOf = ({ at, holds, broken }: Verdicts[number]): string =>
  `${holds ? 'All held' : `${counted(broken.length, 'invariant')} did not hold`} at ${wallInstant(at)}.`;

/** What an invariant has read, and since when it holds or not. */
function About({ invariant: { id, holds, basis, reads = [] }, verdicts }: { invariant: Invariant; verdicts: Verdicts }) {
  const isSame = (verdict: Verdicts[number]): boolean => verdict.invariants.includes(id) && verdict.broken.includes(id) === !holds;
  const changed = verdicts.findIndex((verdict) => !isSame(verdict));
  const streak = changed === -1 ? verdicts : verdicts.slice(0, changed);
  const since = streak.at(-1);
  return (
    <>
      {reads.length > 0 && <p class="muted small brk">Reads {reads.join(', ')}.</p>}
      {since && basis !== 'not-checked' && (
        <p class="muted small">
          {holds ? 'Holds' : 'Broken'} since {wallInstant(since.at)}, in {counted(streak.length, 'verification')}.
        </p>
      )}
    </>
  );
}
