import { useEffect, useRef, useState } from 'preact/hooks';
import { apis } from '../data/catalog.ts';
import {
  apiTitle,
  control,
  estateLink,
  navigate,
  type Output,
  problemLink,
  type QueryChanges,
  referenceLink,
  rehearsalLink,
  useRead,
  useResource,
  withQuery,
} from '../data/data.ts';
import { collectedTyping, counted, Dialog, wallTime } from '../kit/kit.ts';
import { tables } from '../objects/catalog.ts';
import { manyOf } from '../objects/words.ts';
import { problemCodes, referenceSections } from '../reference/sections.ts';
import { pageLink } from './navigation.tsx';
import { pages } from './pages.ts';
import css from './search.module.css';
import { actionsFor, type Found } from './search-actions.ts';
import { ranked } from './search-ranks.ts';

/** Wall time after the last key. */
const TYPED_MS = 150;
/** Most results of a group. */
const MOST = 6;

/** A result that leads to a page. */
const leading = (group: string, title: string, link: string, note?: string): Found => ({ group, title, note, run: () => navigate(link) });

const places = (rehearsal: string): readonly Found[] => [
  ...pages
    .filter(({ under }) => under === undefined)
    .map((page) => leading('Pages', page.title, pageLink(page, rehearsal), page.scope === 'estate' ? 'estate' : rehearsal)),
  ...referenceSections.map(({ path, title }) => leading('Pages', `Reference: ${title}`, estateLink('reference', path))),
];

const references: readonly Found[] = [
  ...Object.values(apis)
    .filter(({ audience }) => audience !== 'internal')
    .map((api) => leading('APIs', api.name, referenceLink(api), `${api.method} ${api.path}`)),
  ...problemCodes.map(({ code, title }) => leading('Problems', title, problemLink(code), code)),
];

/** The customer, the amount and the state of an object. Its id is added only where somebody looks for it. */
function noteOf({ id, label, columns, names = {}, state }: Output<'search'>['items'][number], text: string): string {
  const { customer, total, email } = columns;
  const isSought = label !== undefined && id.toLowerCase().includes(text.toLowerCase());
  return [isSought ? id : undefined, customer && (names[customer] ?? customer), total, email, state].filter(Boolean).join(' · ');
}

function foundIn({ items, traces, events }: Output<'search'>, text: string, rehearsal: string): readonly Found[] {
  const link = (...segments: readonly string[]): string => rehearsalLink(rehearsal, ...segments);
  return [
    ...items.map((item) => {
      const { type, id, label = id } = item;
      return leading(inWords(type), label, type === 'inventory-item' ? link('stock', id) : link('objects', type, id), noteOf(item, text));
    }),
    ...events.map(({ id, type, subject }) => leading('events', type, link('events', id), subject)),
    ...traces.map(({ correlationId, method, path, status, startedAt }) =>
      leading('traces', `${method} ${path}`, link('activity', correlationId), `${status} · ${wallTime(startedAt)} · ${correlationId}`),
    ),
  ];
}

const inWords = (name: string): string => name.replaceAll('-', ' ');

/** The objects of each type, of each state, and of each progress: `Orders`, `order: confirmed`, `order: unpaid`. */
const listsOf = ({ items }: Output<'list-object-types'>, rehearsal: string): readonly Found[] =>
  items.flatMap(({ type, count, states }) => {
    const list = (title: string, query: QueryChanges, note: string): Found =>
      leading('Lists', title, withQuery(rehearsalLink(rehearsal, 'objects', type), query), note);
    return [
      list(manyOf(type), {}, counted(count, 'object')),
      ...Object.entries(states).map(([state, number]) => list(`${inWords(type)}: ${inWords(state)}`, { state }, counted(number, 'object'))),
      ...Object.entries(tables[type]?.progress ?? {}).flatMap(([name, values]) =>
        Object.keys(values).map((value) => list(`${inWords(type)}: ${inWords(value)}`, { [name]: value }, name)),
      ),
    ];
  });

/** The estate does not search request ids, so the hop is read by its id. */
async function hopWith(requestId: string, rehearsal: string, signal: AbortSignal): Promise<readonly Found[]> {
  if (!requestId.startsWith('req_')) return [];
  const hop = await control('read-hop', { params: { requestId } }, { rehearsal, signal }).catch(() => undefined);
  if (!hop) return [];
  const link = withQuery(rehearsalLink(rehearsal, 'activity', hop.correlationId), { hop: requestId });
  return [leading('hops', apiTitle(hop.api), link, requestId)];
}

/** The results that contain every word. */
function matching(all: readonly Found[], text: string): readonly Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ title, note = '' }) => words.every((word) => `${title} ${note}`.toLowerCase().includes(word)));
}

/** Finds any id, number, e-mail, SKU, trace, page or action. @param rehearsal where to search; undefined: none can be shown */
export function Search({ rehearsal, last, onClose }: { rehearsal: string | undefined; last: string; onClose: () => void }) {
  const [text, setText] = useState('');
  // The dialog is already open: effects of its component run first.
  useEffect(() => setText((typed) => collectedTyping() + typed), []);
  const [asked, setAsked] = useState('');
  const [chosen, setChosen] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const due = setTimeout(() => setAsked(text.trim()), TYPED_MS);
    return () => clearTimeout(due);
  }, [text]);
  const scenarios = useRead('list-scenarios');
  const presets = useRead('list-fault-presets');
  const rehearsals = useRead('list-rehearsals');
  const lists = useResource(`lists of ${rehearsal}`, async (signal) =>
    rehearsal === undefined ? [] : listsOf(await control('list-object-types', undefined, { rehearsal, signal }), rehearsal),
  );
  const stored = useResource(`search ${asked}`, async (signal): Promise<readonly Found[]> => {
    if (asked === '' || rehearsal === undefined) return [];
    const [found, hops] = await Promise.all([
      control('search', { query: { q: asked } }, { rehearsal, signal }),
      hopWith(asked, rehearsal, signal),
    ]);
    return [...foundIn(found, asked, rehearsal), ...hops];
  });
  const actions = actionsFor({
    text,
    rehearsal,
    scenarios: scenarios.value?.items ?? [],
    presets: presets.value?.items ?? [],
    rehearsals: rehearsals.value?.items.map(({ name }) => name) ?? [],
  });
  const local = text.trim() === '' ? [...places(last), ...actions] : [...(lists.value ?? []), ...actions, ...places(last), ...references];
  const isSearching = asked !== text.trim() || (stored.value === undefined && !stored.refusal);
  const results = ranked([...matching(local, text), ...(stored.value ?? [])], text, MOST);
  const current = Math.min(chosen, results.length - 1);
  const run = (found: Found | undefined): void => {
    if (!found) return;
    place.current?.closest('dialog')?.close();
    found.run();
  };
  // Somebody who types fast presses Enter before the search has answered.
  useEffect(() => {
    if (!isEntered || isSearching) return;
    setEntered(false);
    run(results[0]);
  }, [isEntered, isSearching]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') {
      if (results.length === 0 && isSearching) setEntered(true);
      else run(results[current]);
    } else if (step !== undefined && results.length > 0) setChosen((current + step + results.length) % results.length);
    else return;
    event.preventDefault();
  };
  useEffect(() => place.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }), [current, results.length]);
  return (
    <Dialog title="Search" onClose={onClose}>
      <div ref={place} class="stack-tight">
        <input
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded={results.length > 0 ? 'true' : 'false'}
          aria-controls="found"
          aria-autocomplete="list"
          aria-activedescendant={current >= 0 ? `found-${current}` : undefined}
          placeholder="An id, number, e-mail, SKU, page or action"
          autocomplete="off"
          spellcheck={false}
          autofocus
          maxLength={160}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setChosen(0);
            setEntered(false);
          }}
          onKeyDown={onKeyDown}
        />
        <p class="muted small" role="status">
          {isSearching ? 'Searching…' : (stored.refusal?.detail ?? (results.length === 0 ? NOTHING : `${results.length} found`))}
        </p>
        <Results results={results} current={current} run={run} />
      </div>
    </Dialog>
  );
}

const NOTHING =
  'Nothing has this text. The search finds ids, order numbers, names, e-mails and SKUs of this rehearsal, and pages and actions.';

/** The focus stays in the field, so options are not links. */
const Results = ({ results, current, run }: { results: readonly Found[]; current: number; run: (found: Found) => void }) => (
  <div id="found" role="listbox" aria-label="Results" class={css.results}>
    {[...Map.groupBy(results.entries(), ([, { group }]) => group)].map(([group, ofGroup]) => (
      // biome-ignore lint/a11y/useSemanticElements: options of a list box may be in groups only
      <div key={group} role="group" aria-label={group}>
        <p class={css.group} aria-hidden="true">
          {group}
        </p>
        {ofGroup.map(([index, found]) => (
          <div
            key={index}
            id={`found-${index}`}
            role="option"
            tabIndex={-1}
            class={css.option}
            aria-selected={index === current ? 'true' : 'false'}
            onClick={() => run(found)}
            onKeyDown={() => {}}
          >
            <span class="what">{found.title}</span>
            {found.note !== undefined && <span class={css.note}>{found.note}</span>}
          </div>
        ))}
      </div>
    ))}
  </div>
);
