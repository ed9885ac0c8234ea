import { apiTitle, drawn, type Output, rehearsalLink, useRead, withQuery } from '../data/data.ts';
import { Badge, Card, counted, Refresh, Table } from '../kit/kit.ts';
import { wallInstant } from './rehearsal-times.ts';
import css from './rehearsals.module.css';

type Swap = Output<'list-swaps'>['items'][number];
type Fidelity = Output<'read-fidelity'>['items'][number];

/**
 * The real systems that replace applications, with their breaches of the contract; real systems in shadow mode, with their differences; and
 * the use of kept answers. Nothing is drawn for a rehearsal without them.
 */
export function SwapsCard({ name }: { name: string }) {
  const swaps = useRead('list-swaps', undefined, { rehearsal: name });
  const fidelity = useRead('read-fidelity', { query: { timeoutMs: '0' } }, { rehearsal: name });
  if (swaps.value?.items.length === 0) return null;
  const reload = (): void => {
    swaps.reload();
    fidelity.reload();
  };
  return (
    <Card title="Real systems" aside={<Refresh reload={reload} />}>
      {drawn(swaps, ({ items }) => (
        <ul class="items">
          {items.map((swap) => (
            <SwapRow
              key={swap.application}
              swap={swap}
              fidelity={fidelity.value?.items.find(({ application }) => application === swap.application)}
              rehearsal={name}
            />
          ))}
        </ul>
      ))}
    </Card>
  );
}

function SwapRow({ swap, fidelity, rehearsal }: { swap: Swap; fidelity: Fidelity | undefined; rehearsal: string }) {
  const { mode, title, url, calls, failed, last, violations } = swap;
  return (
    <li>
      <span class="brk">
        {title}: {mode === 'kept' ? 'kept answers' : <code>{url}</code>}
        {mode === 'shadow' && ' in the shadow of ours'}
      </span>
      {fidelity ? (
        <Badge tone={fidelity.differences.length > 0 ? 'warn' : fidelity.compared > 0 ? 'good' : undefined}>
          {fidelity.differences.length > 0 ? counted(fidelity.differences.length, 'difference') : 'no differences'}
        </Badge>
      ) : (
        <Badge tone={violations.length > 0 ? 'bad' : 'good'}>
          {violations.length > 0 ? counted(violations.length, 'violation') : 'no violations'}
        </Badge>
      )}
      <p class="muted small">
        {mode === 'kept' ? `${counted(calls, 'call')} to kept answers` : counted(calls, 'call')}, {failed.toLocaleString('en')} failed
        {last && `; the latest answer was ${last.status === 0 ? 'missing' : last.status}, ${wallInstant(last.at)}`}
      </p>
      {fidelity && <p class="muted small">{comparedWords(fidelity)}</p>}
      {fidelity && fidelity.differences.length > 0 && (
        <Differences title={title} differences={fidelity.differences} rehearsal={rehearsal} />
      )}
      {violations.map(({ name: rule, api, count, detail }) => (
        <p key={`${rule} ${api}`} class="wrong small brk">
          {rule} at {api}, {counted(count, 'time')}: {detail}
        </p>
      ))}
    </li>
  );
}

const comparedWords = ({ compared, equal, skipped, waiting, lost }: Fidelity): string =>
  [
    `${counted(compared, 'call')} compared`,
    `${equal.toLocaleString('en')} equal`,
    ...(skipped > 0 ? [`${skipped.toLocaleString('en')} skipped`] : []),
    ...(waiting > 0 ? [`${waiting.toLocaleString('en')} waiting`] : []),
    ...(lost > 0 ? [`${lost.toLocaleString('en')} lost, because a process ended`] : []),
  ].join(', ');

interface DifferencesProps {
  readonly title: string;
  readonly differences: Fidelity['differences'];
  readonly rehearsal: string;
}

const Differences = ({ title, differences, rehearsal }: DifferencesProps) => (
  <Table
    class={`small brk ${css.differences}`}
    label={`Differences of ${title}`}
    heads={['Member', 'Ours', 'Theirs', 'Count']}
    numbers={['Count']}
  >
    {differences.map(({ api, pointer, ours, theirs, count, requestId, correlationId }) => (
      <tr key={`${api} ${pointer}`}>
        <td>
          {pointer === '' ? 'the answer' : <code>{pointer}</code>}
          <br />
          <a
            href={withQuery(rehearsalLink(rehearsal, 'activity', correlationId), { hop: requestId })}
            aria-label={`First trace of ${api} ${pointer}`}
          >
            {apiTitle(api)}
          </a>
        </td>
        <td>
          <code>{ours}</code>
        </td>
        <td>
          <code>{theirs}</code>
        </td>
        <td class="number">{count.toLocaleString('en')}</td>
      </tr>
    ))}
  </Table>
);
