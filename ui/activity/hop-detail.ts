import { h } from 'preact';
import { apis } from '../data/catalog.ts';
import {
  act,
  apiTitle,
  applicationTitle,
  config,
  control,
  credentialsOf,
  curlOf,
  drawn,
  faults,
  type Hop,
  offState,
  problemLink,
  readFaults,
  referenceLink,
  rehearsalLink,
  unlessOff,
  useResource,
} from '../data/data.ts';
import { CopyButton, duration, JsonView, StatusBadge, wallTime } from '../kit/kit.ts';
import type { TraceRow } from '../sequence/trace-tree.ts';

export interface HopDetailProps {
  readonly rehearsal: string;
  readonly row: TraceRow;
  readonly number: number;
}

/** The selected hop: outcome, faults, actions and bodies. */
export function HopDetail({ rehearsal, row, number }: HopDetailProps) {
  const { hop: listed, from, kind } = row;
  const hop = useResource(listed.requestId, (signal) => control('read-hop', { params: { requestId: listed.requestId } }, { signal }));
  const api = apis[listed.api];
  const code = problemCodeOf(hop.value);
  const isCall = kind === 'call' || kind === 'request';
  return h(
    'section',
    { class: 'hop', 'aria-label': `Hop ${number}` },
    h(
      'div',
      { class: 'line' },
      h('h2', {}, `${number}. ${apiTitle(listed.api)}`),
      h(StatusBadge, { status: listed.status }),
      h(
        'span',
        { class: 'muted' },
        `${applicationTitle(from)} → ${applicationTitle(listed.application)} · ${duration(listed.durationMs)} · ${wallTime(listed.startedAt)}`,
      ),
      listed.faults.map((fault) => h(Struck, { key: fault, rehearsal, name: fault })),
    ),
    h('p', { class: 'mono muted brk' }, `${listed.method} ${listed.path}`),
    listed.unchanged !== undefined && h('p', {}, h('strong', {}, 'Changed nothing'), `: ${listed.unchanged}`),
    isCall &&
      h(
        'p',
        { class: 'line actions' },
        api?.audience === 'public' &&
          hop.value &&
          h(CopyButton, { what: 'Command', text: () => commandOf(hop.value as Hop, rehearsal, api.auth), children: 'Copy as curl' }),
        api &&
          h(
            'button',
            { type: 'button', 'aria-disabled': offState(), onClick: unlessOff(() => void failNext(listed.application, listed.api)) },
            'Fail this call next time',
          ),
        api?.audience === 'public' && h('a', { class: 'button', href: referenceLink(api), target: '_self' }, 'In the reference'),
        code !== undefined && h('a', { class: 'button', href: problemLink(code) }, 'What the problem means'),
      ),
    drawn(hop, (value) =>
      h(
        'div',
        { class: 'bodies' },
        h('div', {}, h('h3', {}, 'Request'), h(JsonView, { value: value.request, label: 'Request' })),
        h('div', {}, h('h3', {}, 'Response'), h(JsonView, { value: value.response, label: 'Response' })),
        value.truncated && h('p', { class: 'muted' }, 'A part of the record was too large and is cut.'),
      ),
    ),
  );
}

/** The code in the answer of a refused hop. */
function problemCodeOf(hop: Hop | undefined): string | undefined {
  if (!hop || hop.status < 400) return undefined;
  const { code } = (hop.response ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** A fault that struck here, and what it does while it is still set. */
function Struck({ rehearsal, name }: { rehearsal: string; name: string }) {
  const rule = faults.value?.find((one) => one.name === name);
  return h(
    'a',
    { class: 'badge warn', href: rehearsalLink(rehearsal, 'faults') },
    h('span', { 'aria-hidden': 'true' }, '⚡'),
    h('span', { class: 'clip' }, rule ? `${name}: ${inWords(rule.fault)}` : name),
  );
}

const inWords = ({ kind, ms, status }: Readonly<Record<string, unknown>>): string =>
  kind === 'latency' ? `answered ${ms} ms late` : kind === 'status' ? `answered ${status}` : String(kind);

function commandOf(hop: Hop, rehearsal: string, auth: 'bearer' | 'api-key' | 'signature' | 'none'): string {
  const own = credentialsOf(rehearsal);
  const { demo } = config();
  const known = auth === 'api-key' ? (own?.apiKey ?? demo?.apiKey) : (own?.bearer ?? demo?.integration);
  const bound = own !== undefined && (auth === 'bearer' || auth === 'api-key');
  return curlOf(hop, { origin: location.origin, rehearsal, auth, credential: known, bound });
}

const failNext = (application: string, api: string): Promise<void> =>
  act('fail', async () => {
    const name = `fail-next-${api}`.slice(0, 64);
    await control('put-fault', {
      params: { name },
      body: { match: { application, api }, fault: { kind: 'status', status: 503 }, times: 1 },
    });
    await readFaults();
    return `The next ${apiTitle(api)} answers 503. The fault is named ${name}.`;
  });
