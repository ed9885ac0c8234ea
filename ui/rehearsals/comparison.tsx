import type { ComponentChildren } from 'preact';
import { drawn, estateLink, type Output, rehearsalLink, useRead } from '../data/data.ts';
import { Card, counted, Empty, PageHead, rehearsalTime, shortId } from '../kit/kit.ts';

type Compared = Output<'compare-worlds'>;

export const compareLink = ([from = '', to = '']: readonly string[]): string =>
  `${estateLink('rehearsals')}?${new URLSearchParams({ from, to })}`;

/** Rows of each part that are shown. */
const MOST = 200;

/** How the worlds of two rehearsals differ: their books, their objects and their counters. */
export function Comparison({ from, to }: { from: string; to: string }) {
  const read = useRead('compare-worlds', { query: { from: `rehearsal:${from}`, to: `rehearsal:${to}` } });
  return (
    <div class="stack">
      <PageHead title={`${from} and ${to}`} back={[estateLink('rehearsals'), 'All rehearsals']}>
        <p class="line">
          <a class="button" href={compareLink([to, from])}>
            Swap the sides
          </a>
          <button type="button" onClick={read.reload}>
            Compare again
          </button>
        </p>
      </PageHead>
      {drawn(read, (compared) => (
        <Differences compared={compared} names={[from, to]} />
      ))}
    </div>
  );
}

function Differences({ compared, names }: { compared: Compared; names: readonly [string, string] }) {
  const { books, counters, omitted, from, to } = compared;
  const objects = compared.objects.filter((one) => !hasOnlyOtherTimes(one)).toSorted(byChange);
  const moved = compared.objects.length - objects.length;
  const heads = [`${names[0]}, ${rehearsalTime(from.now)}`, `${names[1]}, ${rehearsalTime(to.now)}`] as const;
  return (
    <>
      {books.length + objects.length + counters.length === 0 && (
        <Card label="Comparison">
          <Empty title="Both worlds have the same books, objects and counters." />
        </Card>
      )}
      {books.length > 0 && (
        <Sides
          title="Books"
          heads={heads}
          rows={books.map(({ book, entry, from: before, to: after }) => ({
            key: `${book} ${entry}`,
            what: (
              <>
                <span class="muted">{book}</span> {entry}
              </>
            ),
            sides: [before.toLocaleString('en'), after.toLocaleString('en')],
          }))}
        />
      )}
      {objects.length > 0 && (
        <Sides
          title="Objects"
          heads={heads}
          rows={objects.map(({ type, id, label, change, members }) => ({
            key: `${type} ${id}`,
            what: (
              <>
                <a href={rehearsalLink(change === 'removed' ? names[0] : names[1], 'objects', type, id)}>
                  {type} {label ?? shortId(id)}
                </a>{' '}
                <span class="muted">{change}</span>
              </>
            ),
            sides: [sideOf(members, 'from'), sideOf(members, 'to')],
          }))}
        />
      )}
      {counters.length > 0 && (
        <Sides
          title="Counters"
          heads={heads}
          rows={counters.map(({ application, counter, key, field, from: before, to: after }) => ({
            key: [application, counter, key, field].join(' '),
            what: (
              <>
                <span class="muted">{counter}</span> {key} {field}
              </>
            ),
            sides: [before.toLocaleString('en'), after.toLocaleString('en')],
          }))}
        />
      )}
      {moved > 0 && (
        <p class="muted">
          {counted(moved, 'more object differs', 'more objects differ')} in times only, because the worlds began at different times.
        </p>
      )}
      {omitted > 0 && <p class="muted">{omitted.toLocaleString('en')} more differences are not listed.</p>}
    </>
  );
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Worlds that were seeded one after the other have the same initial objects with other times. */
const hasOnlyOtherTimes = ({ change, members }: Compared['objects'][number]): boolean =>
  change === 'changed' && members.every((one) => [one.from, one.to].every((value) => typeof value === 'string' && INSTANT.test(value)));

/** What exists in one world only comes before what differs. */
const byChange = (one: Compared['objects'][number], other: Compared['objects'][number]): number =>
  Number(one.change === 'changed') - Number(other.change === 'changed');

type Members = Compared['objects'][number]['members'];

/** The members that differ, as one world has them. */
const sideOf = (members: Members, side: 'from' | 'to'): string =>
  members
    .filter((one) => one[side] !== undefined)
    .map((one) => `${one.member}: ${typeof one[side] === 'string' ? one[side] : JSON.stringify(one[side])}`)
    .join('\n');

interface SidesProps {
  readonly title: string;
  readonly heads: readonly [string, string];
  readonly rows: readonly { readonly key: string; readonly what: ComponentChildren; readonly sides: readonly [string, string] }[];
}

const Sides = ({ title, heads, rows }: SidesProps) => (
  <Card title={title} aside={<span class="muted">{rows.length.toLocaleString('en')} differ</span>}>
    <table class="sides" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">what</th>
          <th scope="col">{heads[0]}</th>
          <th scope="col">{heads[1]}</th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MOST).map(({ key, what, sides }) => (
          <tr key={key}>
            <th scope="row">{what}</th>
            <td data-side={heads[0]}>{sides[0]}</td>
            <td data-side={heads[1]}>{sides[1]}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {rows.length > MOST && <p class="in muted">And {(rows.length - MOST).toLocaleString('en')} more.</p>}
  </Card>
);
