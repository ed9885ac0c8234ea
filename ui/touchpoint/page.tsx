import { Choice } from '../kit/field.tsx';
import { isNarrow } from '../kit/narrow.ts';
import { reachable } from './exchange.ts';
import { ExchangeForm } from './exchange-form.tsx';
import type { Portal } from './portal.ts';
import { Rail } from './rail.tsx';
import { Runs } from './runs.tsx';
import css from './touchpoint.module.css';

const PLACES = {
  setup: 'Run',
  'calculate-title': 'Calculate',
  'finish-title': 'Finish',
  'history-title': 'History',
  'cases-title': 'Cases',
};

/** The whole page. The tab order is the visual order: in a narrow window the forms come before the cases. */
export const PortalPage = ({ portal }: { portal: Portal }) => (
  <>
    <a class="skip" href="#workbench">
      Skip to the request forms
    </a>
    <header class={css.banner}>
      <div>
        <h1>Touchpoint mock</h1>
        <p class="muted">Fixed answers of the touchpoint basket interface, chosen by a selector. Nothing is priced, stored or printed.</p>
      </div>
      <nav class="line" aria-label="Related pages">
        {portal.description.console !== undefined && (
          <a class="button" href={`${reachable(portal.description.console)}/`}>
            Console
          </a>
        )}
        <span class="muted">OpenAPI 3.0.3</span>
        <a href="openapi.json">JSON</a>
        <a href="openapi.yaml">YAML</a>
      </nav>
    </header>
    <nav class={css.jumps} aria-label="On this page">
      {Object.entries(PLACES).map(([id, title]) => (
        <a key={id} href={`#${id}`}>
          {title}
        </a>
      ))}
    </nav>
    <div class={css.page}>
      {!isNarrow.value && <Rail key="rail" portal={portal} />}
      <main key="main" id="workbench" tabIndex={-1}>
        <div class={`card in side-by-side ${css.setup}`} id="setup">
          <CallerChoice portal={portal} />
          <Runs portal={portal} />
        </div>
        {portal.forms.map((form) => (
          <ExchangeForm key={form.alias.name} portal={portal} form={form} />
        ))}
      </main>
      {isNarrow.value && <Rail key="rail" portal={portal} />}
    </div>
  </>
);

/** The choice of an authorization fixture, for the forms and the runs. */
function CallerChoice({ portal: { caller, choose, forms, description } }: { portal: Portal }) {
  const { name, authorization, touchpointId, authorized } = caller.value;
  const withoutLane = forms.filter(({ trouble }) => trouble.value !== undefined).map(({ alias }) => alias.name);
  const header = authorization === null ? 'No Authorization header' : `Authorization: ${authorization}`;
  return (
    <section aria-labelledby="caller-title">
      <h2 id="caller-title">Who is calling</h2>
      <label for="authorization">Authorization fixture</label>
      <Choice
        attributes={{ id: 'authorization', autocomplete: 'off' }}
        value={name}
        choices={description.authorization.map((fixture) => [fixture.name, `${fixture.name} – ${fixture.title}`] as const)}
        onChange={choose}
      />
      <p class="muted brk" id="authorization-effect">
        {header} · lane {touchpointId} · {authorized ? admission(withoutLane) : 'will be denied with 403'}
      </p>
    </section>
  );
}

/** The outcome of requests with a good key. */
function admission(withoutLane: readonly string[]): string {
  if (withoutLane.length === 0) return 'will be let in';
  const why = withoutLane.length === 1 ? 'its body has no lane' : 'their bodies have no lane';
  return `${withoutLane.join(' and ')} will be denied with 403: ${why}`;
}
