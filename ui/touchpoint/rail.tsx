import { useRef } from 'preact/hooks';
import type { PortalAlias } from '../../services/touchpoint-mock/portal-description.ts';
import { wallTime } from '../kit/format.ts';
import type { PortalRequest, Sent } from './exchange.ts';
import { type Form, focusForm, type Portal } from './portal.ts';
import { OutcomeBadge } from './response.tsx';
import css from './touchpoint.module.css';

/** The history and the cases. */
export const Rail = ({ portal }: { portal: Portal }) => (
  <aside id="rail" class={css.rail} aria-label="History and cases">
    <History portal={portal} />
    <section class="card in" aria-labelledby="cases-title">
      <h2 id="cases-title">The {portal.description.cases.length} cases</h2>
      <p class="muted">Choose one to load its request into the form; then send it.</p>
      {portal.forms.map((form) => (
        <Cases key={form.alias.name} form={form} />
      ))}
    </section>
  </aside>
);

const TITLES: Readonly<Record<PortalAlias['name'], string>> = { calculate: 'Calculate', finish: 'Finish' };

const Cases = ({ form }: { form: Form }) => (
  <>
    <h3 id={`cases-${form.alias.name}-title`}>{TITLES[form.alias.name]}</h3>
    <ul class={css.cases} aria-labelledby={`cases-${form.alias.name}-title`}>
      {form.cases.map((fixture) => (
        <li key={fixture.case}>
          <button
            type="button"
            class={css.case}
            data-case={fixture.case}
            aria-current={form.loaded.value === fixture.case ? 'true' : undefined}
            onClick={() => {
              form.load(fixture);
              focusForm(form.alias.name);
            }}
          >
            <span class={css.caseName}>{fixture.case}</span>
            <span>{fixture.title}</span>
            <span class={fixture.status === 200 ? css.status : css.refused}>{fixture.status}</span>
          </button>
        </li>
      ))}
    </ul>
  </>
);

function History({ portal }: { portal: Portal }) {
  const { entries, tooBig, clear } = portal.history;
  const head = useRef<HTMLElement>(null);
  const count = entries.value.length;
  return (
    <details class="card in" id="history-panel">
      <summary ref={head} class={css.historyHead}>
        <h2 id="history-title">History</h2>
        {count > 0 && (
          <span class="badge" id="history-count">
            {count}
          </span>
        )}
      </summary>
      {count === 0 && (
        <p class="muted" id="history-empty">
          Each exchange that you send is listed here, until you close this tab.
        </p>
      )}
      <p class="muted" id="history-too-big" role="status" hidden={!tooBig.value}>
        The last exchange is too big to be kept.
      </p>
      <ul class={css.history} id="history" aria-labelledby="history-title">
        {entries.value.map((entry) => (
          <Entry key={`${entry.at} ${entry.durationMs} ${entry.request.selector}`} entry={entry} portal={portal} />
        ))}
      </ul>
      {count > 0 && (
        <button
          type="button"
          id="history-clear"
          onClick={() => {
            clear();
            head.current?.focus();
          }}
        >
          Clear the history
        </button>
      )}
    </details>
  );
}

function Entry({ entry, portal }: { entry: Sent; portal: Portal }) {
  const { request, at, durationMs } = entry;
  const { opened } = portal.history;
  const fixture = portal.description.cases.find((one) => one.case === request.selector);
  return (
    <li>
      <button
        type="button"
        class={css.case}
        aria-current={opened.value === entry ? 'true' : undefined}
        onClick={() => {
          opened.value = entry;
          portal.open(entry);
        }}
      >
        <time class={css.status} dateTime={new Date(at).toISOString()}>
          {wallTime(at)}
        </time>
        <span class={css.caseName}>{nameOf(request)}</span>
        <OutcomeBadge sent={entry} />
        <span class={`clip ${css.entryTitle}`}>{fixture?.title ?? `unknown case, ${request.alias}`}</span>
        <span class={css.status}>{durationMs} ms</span>
      </button>
    </li>
  );
}

function nameOf({ address, selector }: PortalRequest): string {
  if (address === 'scenario') return `/caso${selector}`;
  return selector === '' ? 'no selector' : selector;
}
