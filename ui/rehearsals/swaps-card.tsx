import { control, drawn, useResource } from '../data/data.ts';
import { Badge, Card, counted } from '../kit/kit.ts';
import { wallInstant } from './rehearsal-times.ts';

/** The real systems in place of applications, with what they did against the contract. Nothing is drawn for a rehearsal without them. */
export function SwapsCard({ name }: { name: string }) {
  const swaps = useResource(name, (signal) => control('list-swaps', undefined, { rehearsal: name, signal }));
  if (swaps.value?.items.length === 0) return null;
  return (
    <Card
      title="Real systems"
      aside={
        <button type="button" class="quiet" onClick={swaps.reload}>
          Refresh
        </button>
      }
    >
      {drawn(swaps, ({ items }) => (
        <ul class="invariants">
          {items.map(({ application, title, url, calls, failed, last, violations }) => (
            <li key={application}>
              <span class="brk">
                {title}: <code>{url}</code>
              </span>
              <Badge tone={violations.length > 0 ? 'bad' : 'good'}>
                {violations.length > 0 ? counted(violations.length, 'violation') : 'no violations'}
              </Badge>
              <p class="muted small">
                {counted(calls, 'call')}, {failed.toLocaleString('en')} failed
                {last && `; the latest answer was ${last.status === 0 ? 'missing' : last.status}, ${wallInstant(last.at)}`}
              </p>
              {violations.map(({ name: rule, api, count, detail }) => (
                <p key={`${rule} ${api}`} class="wrong small brk">
                  {rule} at {api}, {counted(count, 'time')}: {detail}
                </p>
              ))}
            </li>
          ))}
        </ul>
      ))}
    </Card>
  );
}
