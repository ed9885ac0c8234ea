import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { DryRun } from '../../rehearsal/reply.ts';
import { CENSOR } from '../../shared/domain/censor.ts';
import type { Api } from '../data/catalog.ts';
import {
  type Answer,
  busy,
  type Hop,
  here,
  linkHere,
  mistakeAt,
  newIdempotencyKey,
  requireOwnPath,
  sendRequest,
  whyNoCall,
} from '../data/data.ts';
import { JsonView, StatusBadge, Table, useForm } from '../kit/kit.ts';
import { differences, membersWith, parsed, replaced } from './edited-request.ts';
import css from './hop-detail.module.css';

/** A recorded request as a form: edited, sent again, and its answer compared with the recorded one. */
export function EditAndSend({ hop, api }: { hop: Hop; api: Api & { id: string } }) {
  const hasBody = hop.request !== undefined && hop.request !== null;
  const path = useSignal(hop.path);
  const body = useSignal(hasBody ? JSON.stringify(hop.request, null, 2) : '');
  const key = useSignal(newIdempotencyKey());
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<Answer & { readonly isDry: boolean }>();
  const obstacle = whyNoCall(here(), api.id);
  const { value, error } = parsed(body.value);
  const send = async (button: string): Promise<void> => {
    if (busy.peek() !== undefined || obstacle !== undefined) return;
    requireOwnPath(path.value);
    if (error !== undefined) throw mistakeAt('', error);
    if (decodedPath(path.value).includes(CENSOR)) throw mistakeAt('', `The path has ${CENSOR} in place of a value. Write the value.`);
    const filled = hasBody ? replaced(value, values) : undefined;
    const [left] = membersWith(filled, CENSOR);
    if (left !== undefined) throw mistakeAt('', `${left} still has ${CENSOR}. Write its value.`);
    const isDry = button === DRY;
    const sent = { method: hop.method, path: isDry ? dryPath(path.value) : path.value, auth: api.auth, body: filled };
    const answered = await sendRequest(here(), { ...sent, idempotencyKey: api.takesKey && !isDry ? key.value : undefined });
    setAnswer({ ...answered, isDry });
    if (!isDry) key.value = newIdempotencyKey();
  };
  const form = useForm(send);
  return (
    <form {...form.attributes} noValidate={false} class={`stack ${css['form']}`} aria-label="Edit and send">
      {form.text({ id: 'send-path', label: `${hop.method} to`, pointer: 'path' }, path, { required: true })}
      {hasBody &&
        form.field(
          {
            id: 'send-body',
            label: 'Body',
            hint: hop.truncated ? 'The record was too large and is cut. Write the body again.' : undefined,
          },
          (attributes) => (
            <textarea
              {...attributes}
              rows={Math.min(16, body.value.split('\n').length)}
              spellcheck={false}
              value={body.value}
              onInput={({ currentTarget }) => (body.value = currentTarget.value)}
            />
          ),
        )}
      {membersWith(value, CENSOR).map((pointer) =>
        form.field(
          { id: `send${pointer}`, label: `Value of ${pointer}`, hint: 'The record has no secrets: write it here.' },
          (attributes) => (
            <input
              {...attributes}
              type="text"
              required
              value={values[pointer] ?? ''}
              onInput={({ currentTarget }) => setValues({ ...values, [pointer]: currentTarget.value })}
            />
          ),
        ),
      )}
      {api.takesKey &&
        form.text(
          {
            id: 'send-key',
            label: 'Idempotency-Key',
            hint: 'With the key of an earlier request, the estate repeats its answer and does nothing.',
          },
          key,
        )}
      {form.others}
      <p class="line">
        <button type="submit" class="primary" aria-disabled={obstacle !== undefined || form.isSending ? 'true' : undefined}>
          Send
        </button>
        {api.hasDryRun && (
          <button type="submit" value={DRY} aria-disabled={obstacle !== undefined || form.isSending ? 'true' : undefined}>
            Check whether it is possible
          </button>
        )}
        {obstacle !== undefined && <span class="muted">{obstacle}</span>}
      </p>
      {answer?.isDry === true && <Verdict answer={answer} />}
      {answer?.isDry === false && <Compared before={hop} answer={answer} />}
    </form>
  );
}

const decodedPath = (path: string): string => path.replaceAll(/%5B/gi, '[').replaceAll(/%5D/gi, ']');

/** The value of the button for a dry run. */
const DRY = 'dry';
const dryPath = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}dryRun=true`;

/** The answer to a dry run, or the refusal that the request would get. */
function Verdict({ answer: { status, body, refusal } }: { answer: Answer }) {
  const verdict = body as DryRun;
  if (refusal)
    return (
      <section class="stack" aria-label="Verdict">
        <p class="line">
          <strong>It is not possible.</strong> It would answer <StatusBadge status={status} />
        </p>
        <p>{refusal.detail}</p>
      </section>
    );
  return (
    <section class="stack" aria-label="Verdict">
      <p class="line">
        <strong>It is possible{verdict.unchanged && ', and would change nothing'}.</strong> It has not been sent.
        {verdict.status !== undefined && (
          <>
            It would answer <StatusBadge status={verdict.status} />
          </>
        )}
      </p>
      {verdict.answer !== undefined && <JsonView value={verdict.answer} label="Possible answer as JSON" />}
    </section>
  );
}

/** The new answer beside the recorded one. */
function Compared({ before, answer }: { before: Hop; answer: Answer }) {
  const changed = differences(before.response, answer.body);
  return (
    <section class="stack" aria-label="New answer">
      <p class="line">
        <strong>Answer</strong> <StatusBadge status={before.status} /> <span class="muted">now</span> <StatusBadge status={answer.status} />
        {answer.correlationId !== undefined && <a href={linkHere('activity', answer.correlationId)}>Its trace</a>}
      </p>
      {changed.length === 0 ? (
        <p>The answer is the same.</p>
      ) : (
        <Table class="small brk" label="Differences" heads={['Member', 'was', 'is']}>
          {changed.map(({ pointer, was, is }) => (
            <tr key={pointer}>
              <th scope="row">{pointer || 'the whole'}</th>
              <td>{was}</td>
              <td>{is}</td>
            </tr>
          ))}
        </Table>
      )}
      <JsonView value={answer.body} label="New answer as JSON" />
    </section>
  );
}
