import { useEffect, useRef } from 'preact/hooks';
import { fragment, problemLink, route, setQuery } from '../data/data.ts';
import { Badge, Card, Empty, FilterField, inWords, StatusBadge } from '../kit/kit.ts';
import { type Problem, problems } from './catalog.ts';
import css from './reference.module.css';

/** The names are shown before the details are loaded. */
const FEW_APIS = 8;

/** Every refusal of the estate, with its cause and remedy. The filter is in the address; the fragment names one problem. */
export function Problems() {
  const words = (route.value.query.get('q') ?? '').toLowerCase();
  const found = problems.filter(({ code, status, title, apis }) => [code, status, title, ...apis].join(' ').toLowerCase().includes(words));
  const named = fragment.value;
  return (
    <Card label="Problems">
      <div class="in stack-tight">
        <FilterField parameter="q" label="Filter: code, status, API" placeholder="Filter: code, status, API" />
        {named !== '' && !problems.some(({ code }) => code === named) && (
          <p role="status">
            There is no problem <code class="brk">{named}</code>. These exist:
          </p>
        )}
      </div>
      {found.length === 0 && (
        <Empty title="No problem matches.">
          <button type="button" onClick={() => setQuery({ q: undefined })}>
            Show all
          </button>
        </Empty>
      )}
      <ul class={`lined ${css.entries}`}>
        {found.map((problem) => (
          <Section key={problem.code} problem={problem} isNamed={problem.code === named} />
        ))}
      </ul>
    </Card>
  );
}

function Section({
  problem: { code, status, title, retryable, common, apis, cause, remedy },
  isNamed,
}: {
  problem: Problem;
  isNamed: boolean;
}) {
  const section = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isNamed) section.current?.scrollIntoView();
  }, [isNamed]);
  return (
    <li ref={section} id={code} aria-current={isNamed ? 'true' : undefined}>
      <p class="line">
        <StatusBadge status={status} />
        <strong>{title}</strong>
        <a href={problemLink(code)} aria-label={`${code}: link to this problem`}>
          <code class="brk">{code}</code>
        </a>
        {retryable && <Badge>may succeed later</Badge>}
      </p>
      <p>
        <strong>Cause. </strong>
        {inWords(cause)}
      </p>
      <p>
        <strong>Remedy. </strong>
        {inWords(remedy)}
      </p>
      <AnsweredBy common={common} apis={apis} />
    </li>
  );
}

/** Many APIs answer the same problem: their names wait until they are asked for. */
function AnsweredBy({ common, apis }: Pick<Problem, 'common' | 'apis'>) {
  if (common) return <p class="muted">Every API may answer it.</p>;
  if (apis.length === 0) return <p class="muted">The gateway, an application or the control plane answers it.</p>;
  if (apis.length <= FEW_APIS) return <p class="muted">Answered by {apis.join(', ')}.</p>;
  return (
    <details class="muted">
      <summary>Answered by {apis.length} APIs</summary>
      <p>{apis.join(', ')}.</p>
    </details>
  );
}
