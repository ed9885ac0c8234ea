import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { fragment, problemLink, route, setQuery } from '../data/data.ts';
import { Badge, Card, Empty, FilterField, inWords, StatusBadge } from '../kit/kit.ts';
import { type Problem, problems } from './catalog.ts';

/** The names are shown before the details are loaded. */
const FEW_APIS = 8;

/** Every refusal of the estate, with its cause and remedy. The filter is in the address; the fragment names one problem. */
export function Problems() {
  const words = (route.value.query.get('q') ?? '').toLowerCase();
  const found = problems.filter(({ code, status, title, apis }) => [code, status, title, ...apis].join(' ').toLowerCase().includes(words));
  const named = fragment.value;
  return h(
    Card,
    { label: 'Problems' },
    h(
      'div',
      { class: 'in stack-tight' },
      h(FilterField, { parameter: 'q', label: 'Filter: code, status, API', placeholder: 'Filter: code, status, API' }),
      named !== '' &&
        !problems.some(({ code }) => code === named) &&
        h('p', { role: 'status' }, 'There is no problem ', h('code', { class: 'brk' }, named), '. These exist:'),
    ),
    found.length === 0 &&
      h(Empty, { title: 'No problem matches.' }, h('button', { type: 'button', onClick: () => setQuery({ q: undefined }) }, 'Show all')),
    h(
      'ul',
      { class: 'entries' },
      found.map((problem) => h(Section, { key: problem.code, problem, isNamed: problem.code === named })),
    ),
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
  return h(
    'li',
    { ref: section, id: code, class: isNamed ? 'stack-tight named' : 'stack-tight', 'aria-current': isNamed ? 'true' : undefined },
    h(
      'p',
      { class: 'line' },
      h(StatusBadge, { status }),
      h('strong', {}, title),
      h('a', { href: problemLink(code), 'aria-label': `${code}: link to this problem` }, h('code', { class: 'brk' }, code)),
      retryable && h(Badge, {}, 'may succeed later'),
    ),
    h('p', {}, h('strong', {}, 'Cause. '), inWords(cause)),
    h('p', {}, h('strong', {}, 'Remedy. '), inWords(remedy)),
    h(AnsweredBy, { common, apis }),
  );
}

/** Many APIs answer the same problem: their names wait until they are asked for. */
function AnsweredBy({ common, apis }: Pick<Problem, 'common' | 'apis'>) {
  if (common) return h('p', { class: 'muted' }, 'Every API may answer it.');
  if (apis.length === 0) return h('p', { class: 'muted' }, 'The gateway, an application or the control plane answers it.');
  if (apis.length <= FEW_APIS) return h('p', { class: 'muted' }, `Answered by ${apis.join(', ')}.`);
  return h('details', { class: 'muted' }, h('summary', {}, `Answered by ${apis.length} APIs`), h('p', {}, `${apis.join(', ')}.`));
}
