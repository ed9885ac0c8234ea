import { apiTitle, applicationTitle } from '../data/titles.ts';
import { duration, shortSubject } from '../kit/format.ts';
import { Table } from '../kit/scroll.tsx';
import { instant } from '../sequence/words.ts';
import type { Comparison, Recorded, RecordedEvent } from './recorded.ts';
import css from './report.module.css';

const PREFIX = 'com.unified-commerce.';

/** The events sorted by publication, with the applications that consumed them. */
export function EventTable({ run: { events, hops } }: { run: Recorded }) {
  if (events.length === 0) return <p class="muted">No event was published.</p>;
  const consumers = Map.groupBy(
    hops.filter(({ api }) => api.startsWith('event:')),
    ({ parentId = '', api, path }) => `${parentId} ${api} ${path}`,
  );
  const consumersOf = ({ cause, type, subject }: RecordedEvent): readonly string[] =>
    [...new Set(consumers.get(`${cause} event:${type.replace(PREFIX, '')} ${subject}`)?.map(({ application }) => application))].map(
      applicationTitle,
    );
  return (
    <Table class={css.scrolling} label="Events" heads={['Event', 'Object', 'Published by', 'Consumed by', 'Rehearsal’s clock']}>
      {events.map((event) => (
        <tr key={event.id}>
          <td class="event-text">{event.type.replace(PREFIX, '')}</td>
          <td>
            <code>{shortSubject(event.subject)}</code>
          </td>
          <td>{applicationTitle(event.source)}</td>
          <td>{consumersOf(event).join(', ') || '–'}</td>
          <td>{instant(event.time)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** What a real system in the shadow answered differently, the first of each kind. */
export function DifferenceTable({ differences }: Pick<Comparison, 'differences'>) {
  if (differences.length === 0) return <p class="muted">None.</p>;
  return (
    <Table class="brk" label="Differences" heads={['Member', 'Ours', 'Theirs', 'Count', 'First in']} numbers={['Count']}>
      {differences.map(({ pointer, ours, theirs, count, rehearsal, correlationId }) => (
        <tr key={pointer}>
          <td>{pointer === '' ? 'the answer' : <code>{pointer}</code>}</td>
          <td>
            <code>{ours}</code>
          </td>
          <td>
            <code>{theirs}</code>
          </td>
          <td class="number">{count}</td>
          <td>
            {rehearsal}, <code>{correlationId}</code>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** The most rows of the table of timings. */
const MOST_ROWS = 30;

/** The hops by application and API, sorted by their total time. */
export function TimingTable({ run: { hops } }: { run: Recorded }) {
  const rows = [...Map.groupBy(hops, ({ application, api }) => `${application} ${api}`)]
    .map(([key, same]) => {
      const times = same.map(({ durationMs }) => durationMs);
      const [{ application, api } = { application: '', api: '' }] = same;
      return { key, application, api, hops: same.length, total: times.reduce((sum, ms) => sum + ms, 0), longest: Math.max(...times) };
    })
    .toSorted((one, other) => other.total - one.total);
  if (rows.length === 0) return <p class="muted">The journal has no hop of this rehearsal.</p>;
  const most = Math.max(rows[0]?.total ?? 0, 1);
  const left = rows.length - MOST_ROWS;
  return (
    <>
      <p class="muted">A hop includes the calls that it made. These are times of this machine. Other systems differ.</p>
      <Table
        class={css.scrolling}
        label="Timings"
        heads={['Application', 'API, event or timer', 'Hops', 'Longest', 'In all']}
        numbers={['Hops', 'Longest', 'In all']}
      >
        {rows.slice(0, MOST_ROWS).map((row) => (
          <tr key={row.key}>
            <td>{applicationTitle(row.application)}</td>
            <td>{apiTitle(row.api)}</td>
            <td class="number">{row.hops}</td>
            <td class="number">{duration(row.longest)}</td>
            <td class="number">{duration(row.total)}</td>
            <td class={`wide ${css.share}`}>
              <svg height={10} width="100%" aria-hidden="true">
                <rect height={10} rx={2} width={`${Math.max(1, Math.round((row.total / most) * 100))}%`} />
              </svg>
            </td>
          </tr>
        ))}
      </Table>
      {left > 0 && <p class="muted">and {left} more</p>}
    </>
  );
}
