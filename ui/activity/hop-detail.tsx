import { useState } from 'preact/hooks';
import { apis } from '../data/catalog.ts';
import {
  act,
  apiTitle,
  applicationTitle,
  control,
  credentialFor,
  credentialsOf,
  curlOf,
  drawn,
  faults,
  type Hop,
  here,
  offState,
  problemLink,
  readFaults,
  referenceLink,
  unlessOff,
  useRead,
} from '../data/data.ts';
import { CopyButton, duration, FaultLink, JsonView, StatusBadge } from '../kit/kit.ts';
import type { TraceRow } from '../sequence/trace-tree.ts';
import { EditAndSend } from './edit-and-send.tsx';
import css from './hop-detail.module.css';
import { Happened } from './trace-row.tsx';

interface HopDetailProps {
  readonly row: TraceRow;
  readonly number: number;
}

/** The selected hop: outcome, faults, actions and bodies. */
export function HopDetail({ row, number }: HopDetailProps) {
  const { hop: listed, from, kind } = row;
  const hop = useRead('read-hop', { params: { requestId: listed.requestId } });
  const api = apis[listed.api];
  const code = problemCodeOf(hop.value);
  const isCall = kind !== 'event' && kind !== 'timer';
  const canSend = isCall && api?.audience === 'public' && api.auth !== 'signature';
  const [isEdited, setEdited] = useState(false);
  return (
    <section class="part" aria-label={`Hop ${number}`}>
      <div class="line">
        <h2>
          {number}. {apiTitle(listed.api)}
        </h2>
        <StatusBadge status={listed.status} />
        <span class="muted">
          {applicationTitle(from)} → {applicationTitle(listed.application)} · {duration(listed.durationMs)} · <Happened {...listed} />
        </span>
        {listed.faults.map((fault) => (
          <Struck key={fault} name={fault} />
        ))}
      </div>
      <p class="mono muted brk">
        {listed.method} {listed.path}
      </p>
      {listed.unchanged !== undefined && (
        <p>
          <strong>Changed nothing</strong>: {listed.unchanged}
        </p>
      )}
      {listed.ignored && (
        <p>
          <strong>Ignored</strong>: {listed.ignored.join(', ')}
        </p>
      )}
      {isCall && (
        <p class="line">
          {api?.audience === 'public' && hop.value && (
            <CopyButton what="Command" text={() => commandOf(hop.value as Hop, api.auth)}>
              Copy as curl
            </CopyButton>
          )}
          {canSend && hop.value && (
            <button type="button" aria-expanded={isEdited ? 'true' : 'false'} onClick={() => setEdited(!isEdited)}>
              Edit and send
            </button>
          )}
          {api && (
            <button type="button" aria-disabled={offState()} onClick={unlessOff(() => void failNext(listed.application, listed.api))}>
              Fail this call next time
            </button>
          )}
          {api?.audience === 'public' && (
            <a class="button" href={referenceLink(api)}>
              In the reference
            </a>
          )}
          {code !== undefined && (
            <a class="button" href={problemLink(code)}>
              What the problem means
            </a>
          )}
        </p>
      )}
      {isEdited && api && hop.value && <EditAndSend hop={hop.value} api={{ ...api, id: listed.api }} />}
      {drawn(hop, (value) => (
        <div class={`side-by-side ${css['bodies']}`}>
          <div>
            <h3>Request</h3>
            <JsonView value={value.request} label="Request" />
          </div>
          <div>
            <h3>Response</h3>
            <JsonView value={value.response} label="Response" />
          </div>
          {value.truncated && <p class="muted">A part of the record was too large and is cut.</p>}
        </div>
      ))}
    </section>
  );
}

/** The code in the answer of a refused hop. */
function problemCodeOf(hop: Hop | undefined): string | undefined {
  if (!hop || hop.status < 400) return undefined;
  const { code } = (hop.response ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** A fault that struck here, and what it does while it is still set. */
function Struck({ name }: { name: string }) {
  const rule = faults.value?.find((one) => one.name === name);
  return <FaultLink>{rule ? `${name}: ${inWords(rule.fault)}` : name}</FaultLink>;
}

const inWords = ({ kind, ms, status }: Readonly<Record<string, unknown>>): string =>
  kind === 'latency' ? `answered ${ms} ms late` : kind === 'status' ? `answered ${status}` : String(kind);

function commandOf(hop: Hop, auth: 'bearer' | 'api-key' | 'signature' | 'none'): string {
  const rehearsal = here();
  const bound = credentialsOf(rehearsal) !== undefined && (auth === 'bearer' || auth === 'api-key');
  return curlOf(hop, { origin: location.origin, rehearsal, auth, credential: credentialFor(rehearsal, auth), bound });
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
