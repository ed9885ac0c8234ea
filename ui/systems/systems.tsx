import type { ComponentChildren } from 'preact';
import { drawn, here, linkHere, rehearsalLink, useRead } from '../data/data.ts';
import { useRuns } from '../flows/run-list.tsx';
import { Card, counted, PageHead, type PageProps, Unknown } from '../kit/kit.ts';
import { Glyph } from '../kit/state.tsx';
import { type Replaceable, replaceables } from './catalog.ts';
import { System } from './system.tsx';
import type { Fidelity, SwapInUse } from './system-read.ts';
import css from './systems.module.css';

const FOLLOWING = { follows: ['hops', 'gap'] } as const;

/** The applications, and the systems of the retailer in their place. One of them is open. */
export function Systems({ rest: [chosen] }: PageProps) {
  const swaps = useRead('list-swaps', undefined, FOLLOWING);
  const fidelity = useRead('read-fidelity', { query: { timeoutMs: '0' } }, FOLLOWING);
  const runs = useRuns();
  if (chosen !== undefined && !replaceables.some(({ id }) => id === chosen)) return <UnknownSystem id={chosen} />;
  const items = swaps.value?.items ?? [];
  const swapOf = ({ id }: Replaceable): SwapInUse | undefined => items.find(({ application }) => application === id);
  const inOrder = [...replaceables.filter(swapOf), ...replaceables.filter((one) => !swapOf(one))];
  const reload = (): void => {
    swaps.reload();
    fidelity.reload();
  };
  return (
    <div class="stack">
      <PageHead title="Your systems" about={swaps.value && countsOf(items)}>
        <p class="line">
          <a href={linkHere('webhooks')}>Webhooks</a>
          <a href={rehearsalLink(here())}>Credentials</a>
        </p>
      </PageHead>
      {drawn(swaps, () => (
        <section class={`card ${css.systems}`} aria-label="Applications">
          <ul>
            {inOrder.map((application) => {
              const swap = swapOf(application);
              const isOpen = application.id === chosen;
              return (
                <li key={application.id} class={swap && css[swap.mode]} data-open={isOpen ? '' : undefined}>
                  <SystemRow
                    application={application}
                    swap={swap}
                    fidelity={fidelity.value?.items.find((one) => one.application === application.id)}
                    isOpen={isOpen}
                  />
                  {isOpen && (
                    <System
                      application={application}
                      swap={swap}
                      fidelity={fidelity.value?.items.find((one) => one.application === application.id)}
                      runs={runs.value?.items ?? []}
                      reload={reload}
                    />
                  )}
                </li>
              );
            })}
          </ul>
        </section>
      ))}
      <Others />
    </div>
  );
}

function countsOf(items: readonly SwapInUse[]): string {
  const of = (mode: SwapInUse['mode']): number => items.filter((one) => one.mode === mode).length;
  return [
    of('real') > 0 && `${of('real')} real`,
    of('shadow') > 0 && `${of('shadow')} in shadow`,
    of('kept') > 0 && `${of('kept')} with kept answers`,
    `${replaceables.length - items.length} simulated in ${here()}`,
  ]
    .filter(Boolean)
    .join(', ');
}

const UnknownSystem = ({ id }: { id: string }) => (
  <Unknown title="Your systems" words="No application is named" id={id} why="These exist:">
    <p class="line">
      {replaceables.map((one) => (
        <a key={one.id} class="button" href={linkHere('systems', one.id)}>
          {one.title}
        </a>
      ))}
    </p>
  </Unknown>
);

interface RowProps {
  readonly application: Replaceable;
  readonly swap: SwapInUse | undefined;
  readonly fidelity: Fidelity | undefined;
  readonly isOpen: boolean;
}

/** The mark of a system of the retailer: a colour, a border and a word. */
export const ModeMark = ({ mode }: { mode: SwapInUse['mode'] }) => (
  <span class={`badge ${css.mark} ${css[mode]}`}>
    {mode === 'real' && '⚑ '}
    {{ real: 'real', shadow: 'in shadow', kept: 'kept' }[mode]}
  </span>
);

function SystemRow({ application, swap, fidelity, isOpen }: RowProps) {
  const { id, title, owns, support } = application;
  const cells = (
    <>
      <strong class="clip">{title}</strong>
      <span class={`clip muted ${css.owns}`}>{owns}</span>
      <span class={css.mode}>{swap ? <ModeMark mode={swap.mode} /> : <span class="muted">simulated</span>}</span>
      <span class={`clip ${css.place}`}>
        {swap ? (
          <code>{swap.url?.replace(/^https?:\/\//, '') ?? 'no address'}</code>
        ) : support === undefined ? (
          <span class="muted">others depend on it</span>
        ) : (
          <>Put yours in {support === 'possible' && <small class="muted">no promise</small>}</>
        )}
      </span>
      <span class={css.result}>{swap && <Result swap={swap} fidelity={fidelity} />}</span>
    </>
  );
  if (support === undefined) return <div class={css.row}>{cells}</div>;
  return (
    <a class={css.row} data-row="" href={isOpen ? linkHere('systems') : linkHere('systems', id)} aria-current={isOpen ? 'true' : undefined}>
      {cells}
    </a>
  );
}

const Result = ({ swap: { mode, calls, violations }, fidelity }: { swap: SwapInUse; fidelity: Fidelity | undefined }) => {
  const different = fidelity ? fidelity.compared - fidelity.equal : 0;
  const [kind, words] =
    mode === 'shadow'
      ? ([different > 0 ? 'waiting' : 'done', `${different.toLocaleString('en')} differ`] as const)
      : ([violations.length > 0 ? 'failed' : 'done', counted(violations.length, 'violation')] as const);
  return (
    <>
      <span class="muted">{counted(calls, 'call')}</span> <Glyph kind={calls === 0 ? undefined : kind} /> {words}
    </>
  );
};

/** What else of the user has a place in a rehearsal. */
function Others() {
  const webhooks = useRead('list-webhooks');
  const contents = useRead('read-rehearsal', { params: { name: here() } });
  const rows = Object.entries(contents.value?.data ?? {});
  const entries: readonly (readonly [string, ComponentChildren])[] = [
    [
      'Webhooks',
      <>
        <a href={linkHere('webhooks')}>{webhooks.value ? counted(webhooks.value.items.length, 'receiver') : 'Receivers'}</a> of this
        rehearsal’s events. <code>estate listen --forward-to http://localhost:3000/events</code> receives them on your machine.
      </>,
    ],
    [
      'Your data',
      rows.length === 0 ? (
        <>
          This rehearsal has our products, stock and customers. <code>estate rehearsals create my-data --data data.json</code> begins one
          with yours.
        </>
      ) : (
        `This rehearsal began with your ${rows.map(([file, count]) => `${file} (${count.toLocaleString('en')})`).join(', ')}.`
      ),
    ],
    [
      'Credentials',
      <>
        The <a href={rehearsalLink(here())}>overview</a> lists those of your client. A system that calls the estate back sends{' '}
        <code>X-Estate-Call</code>.
      </>,
    ],
  ];
  return (
    <Card title="Also yours">
      <dl class={`in pairs ${css.others}`}>
        {entries.map(([term, text]) => (
          <div key={term}>
            <dt class="muted">{term}</dt>
            <dd class="brk">{text}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
