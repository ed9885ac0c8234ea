import { apiTitle, here, rehearsalLink, withQuery } from '../data/data.ts';
import { counted } from '../kit/kit.ts';
import type { Fidelity } from './system-read.ts';

/** What a real system in the shadow answered differently: ours and theirs side by side, by operation. */
export function Shadow({ title, fidelity }: { title: string; fidelity: Fidelity }) {
  const { compared, equal, skipped, waiting, lost, operations, differences } = fidelity;
  const differing = compared - equal;
  const frequent = differences.toSorted((one, other) => other.count - one.count)[0];
  const byOperation = Map.groupBy(differences, ({ api }) => api);
  return (
    <section class="stack-tight" aria-label="Shadow">
      <h2>
        Shadow <span class="muted small">ours answers; yours gets the same calls</span>
      </h2>
      <p>
        <strong>{compared.toLocaleString('en')}</strong> compared, <strong>{equal.toLocaleString('en')}</strong> equal,{' '}
        <strong>{differing.toLocaleString('en')}</strong> differ
      </p>
      {compared > 0 && <meter aria-label="Share of equal answers" min={0} max={compared} value={equal} />}
      <p class="muted small">
        {[
          frequent && `Most often ${frequent.pointer || 'the answer'} of ${apiTitle(frequent.api)}: ${counted(frequent.count, 'time')}.`,
          skipped > 0 && `${counted(skipped, 'call')} could not be compared.`,
          waiting > 0 && `${counted(waiting, 'call')} not compared yet.`,
          lost > 0 && `${counted(lost, 'call')} will not be compared, because a process ended.`,
          compared === 0 && 'Nothing is compared yet. Work in this rehearsal, or run a flow.',
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
      {operations.length > 0 && (
        <table class="sides" aria-label={`Differences of ${title}`}>
          <thead>
            <tr>
              <th scope="col">member</th>
              <th scope="col">ours</th>
              <th scope="col">theirs</th>
            </tr>
          </thead>
          {operations.map((operation) => (
            <tbody key={operation.api}>
              <tr>
                <th scope="rowgroup" colSpan={3}>
                  {apiTitle(operation.api)}{' '}
                  <span class="muted">
                    {operation.compared.toLocaleString('en')} compared, {operation.equal.toLocaleString('en')} equal
                  </span>
                </th>
              </tr>
              {(byOperation.get(operation.api) ?? []).map(({ api, pointer, count, ours, theirs, requestId, correlationId }) => (
                <tr key={pointer}>
                  <td>
                    <a
                      href={withQuery(rehearsalLink(here(), 'activity', correlationId), { hop: requestId })}
                      aria-label={`First trace of ${api} ${pointer}`}
                    >
                      <code>{pointer || 'the answer'}</code>
                    </a>{' '}
                    <small class="muted">{count.toLocaleString('en')} ×</small>
                  </td>
                  <td data-side="ours">
                    <code>{ours}</code>
                  </td>
                  <td data-side="theirs">
                    <code>{theirs}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      )}
    </section>
  );
}
