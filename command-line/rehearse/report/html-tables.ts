import { inOneLine } from '../../../shared/domain/printable.ts';
import { apiTitle, applicationTitle } from '../../../ui/data/titles.ts';
import { duration } from '../../../ui/kit/format.ts';
import { instant } from '../../../ui/sequence/words.ts';
import { type Markup, markup } from '../../output/markup.ts';
import { counted } from './facts.ts';
import { MOST, type Recorded, type RecordedEvent } from './recording.ts';

const PREFIX = 'com.unified-commerce.';

/** The events sorted by publication, with the applications that consumed them. */
export function eventTable({ events, hops }: Recorded): Markup {
  if (events.length === 0) return markup`<p class="muted">No event was published.</p>`;
  const consumers = Map.groupBy(
    hops.filter(({ api }) => api.startsWith('event:')),
    ({ parentId = '', api, path }) => `${parentId} ${api} ${path}`,
  );
  const consumersOf = ({ cause, type, subject }: RecordedEvent): readonly string[] =>
    [...new Set(consumers.get(`${cause} event:${type.replace(PREFIX, '')} ${subject}`)?.map(({ application }) => application))].map(
      applicationTitle,
    );
  return markup`<div class="scroll" tabindex="0" role="group" aria-label="Events"><table>
<thead><tr><th>Event</th><th>Object</th><th>Published by</th><th>Consumed by</th><th>Rehearsal’s clock</th></tr></thead>
<tbody>${events.map(
    (
      event,
    ) => markup`<tr><td class="event-name">${event.type.replace(PREFIX, '')}</td><td><code>${shortSubject(event.subject)}</code></td><td>${applicationTitle(event.source)}</td><td>${consumersOf(event).join(', ') || '–'}</td><td>${instant(event.time)}</td></tr>
`,
  )}</tbody></table></div>`;
}

/** Shortens the id: `order/ord_…WDWMH`. */
const shortSubject = (subject: string): string => inOneLine(subject, 160).replace(/(\w{4})\w{8,}(\w{5})$/, '$1…$2');

/** Each invariant with its violations. */
export function invariantList({ invariants }: Recorded): Markup {
  if (invariants.length === 0) return markup`<p class="muted">The scenario failed before the invariants were checked.</p>`;
  return markup`<ul class="invariants">${invariants.map(({ title, holds, checked, violations }) => {
    const more = violations.length - MOST.violations;
    const found = violations.slice(0, MOST.violations).map((one) => markup`<li>${one}</li>`);
    const list = violations.length > 0 && markup`<ul>${found}${more > 0 && markup`<li>and ${more} more</li>`}</ul>`;
    return markup`<li><span class="badge ${holds ? 'good' : 'bad'}">${holds ? 'holds' : 'broken'}</span> ${title} <span class="muted">${counted(checked, 'check')}</span>${list}</li>
`;
  })}</ul>`;
}

/** The most rows of the table of timings. */
const MOST_ROWS = 30;

/** The hops by application and API, sorted by their total time. */
export function timingTable({ hops }: Recorded): Markup {
  const rows = [...Map.groupBy(hops, ({ application, api }) => `${application} ${api}`).values()]
    .flatMap((same) => {
      const [{ application, api } = { application: '', api: '' }] = same;
      const times = same.map(({ durationMs }) => durationMs);
      return [{ application, api, hops: same.length, total: times.reduce((sum, ms) => sum + ms, 0), longest: Math.max(...times) }];
    })
    .toSorted((one, other) => other.total - one.total);
  if (rows.length === 0) return markup`<p class="muted">The journal has no hop of this rehearsal.</p>`;
  const most = Math.max(rows[0]?.total ?? 0, 1);
  const left = rows.length - MOST_ROWS;
  return markup`<p class="muted small">A hop includes the calls that it made. These are times of this machine. Other systems differ.</p>
<div class="scroll" tabindex="0" role="group" aria-label="Timings"><table class="timings">
<thead><tr><th>Application</th><th>API, event or timer</th><th class="number">Hops</th><th class="number">Longest</th><th class="number">In all</th><th><span class="unseen">Share</span></th></tr></thead>
<tbody>${rows.slice(0, MOST_ROWS).map(
    (
      row,
    ) => markup`<tr><td>${applicationTitle(row.application)}</td><td>${apiTitle(row.api)}</td><td class="number">${row.hops}</td><td class="number">${duration(row.longest)}</td><td class="number">${duration(row.total)}</td><td class="share"><span style="width:${Math.max(1, Math.round((row.total / most) * 100))}%"></span></td></tr>
`,
  )}</tbody></table></div>${left > 0 && markup`<p class="muted small">and ${left} more</p>`}`;
}
