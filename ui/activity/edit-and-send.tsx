import { useEffect, useState } from 'preact/hooks';
import { CENSOR } from '../../shared/domain/censor.ts';
import type { Api } from '../data/catalog.ts';
import { type Answer, asRefusal, busy, type Hop, here, linkHere, newIdempotencyKey, sendRequest, whyNoCall } from '../data/data.ts';
import { field, JsonView, OtherErrors, StatusBadge, Table } from '../kit/kit.ts';
import { differences, membersWith, parsed, replaced } from './edited-request.ts';
import css from './hop-detail.module.css';

interface EditAndSendProps {
  readonly hop: Hop;
  readonly api: Api & { readonly id: string };
}

/** A recorded request as a form: edited, sent again, and its answer compared with the recorded one. */
export function EditAndSend({ hop, api }: EditAndSendProps) {
  const hasBody = hop.request !== undefined && hop.request !== null;
  const [path, setPath] = useState(hop.path);
  const [body, setBody] = useState(hasBody ? JSON.stringify(hop.request, null, 2) : '');
  const [key, setKey] = useState(newIdempotencyKey);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<Answer>();
  const [mistake, setMistake] = useState<string>();
  useEffect(() => setMistake(undefined), [path, body, values]);
  const obstacle = whyNoCall(here(), api.id);
  const { value, error } = parsed(body);
  const redacted = membersWith(value, CENSOR);

  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busy.peek() !== undefined || obstacle !== undefined) return;
    if (error !== undefined) return setMistake(error);
    if (decodedPath(path).includes(CENSOR)) return setMistake(`The path has ${CENSOR} in place of a value. Write the value.`);
    const filled = hasBody ? replaced(value, values) : undefined;
    const [left] = membersWith(filled, CENSOR);
    if (left !== undefined) return setMistake(`${left} still has ${CENSOR}. Write its value.`);
    busy.value = 'send';
    try {
      const { method } = hop;
      setAnswer(await sendRequest(here(), { method, path, auth: api.auth, body: filled, idempotencyKey: api.takesKey ? key : undefined }));
      setKey(newIdempotencyKey());
    } catch (failure) {
      setMistake(asRefusal(failure).detail);
    } finally {
      busy.value = undefined;
    }
  };

  return (
    <form class={css['form']} aria-label="Edit and send" onSubmit={(event: Event) => void send(event)}>
      {field({ id: 'send-path', label: `${hop.method} to`, pointer: 'path', errors: [] }, (attributes) => (
        <input {...attributes} type="text" required value={path} onInput={({ currentTarget }) => setPath(currentTarget.value)} />
      ))}
      {hasBody &&
        field(
          {
            id: 'send-body',
            label: 'Body',
            hint: hop.truncated ? 'The record was too large and is cut. Write the body again.' : undefined,
            pointer: 'body',
            errors: [],
          },
          (attributes) => (
            <textarea
              {...attributes}
              rows={Math.min(16, body.split('\n').length)}
              spellcheck={false}
              value={body}
              onInput={({ currentTarget }) => setBody(currentTarget.value)}
            />
          ),
        )}
      {redacted.map((pointer) =>
        field(
          { id: `send${pointer}`, label: `Value of ${pointer}`, hint: 'The record has no secrets: write it here.', pointer, errors: [] },
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
        field(
          {
            id: 'send-key',
            label: 'Idempotency-Key',
            hint: 'With the key of an earlier request, the estate repeats its answer and does nothing.',
            pointer: 'key',
            errors: [],
          },
          (attributes) => <input {...attributes} type="text" value={key} onInput={({ currentTarget }) => setKey(currentTarget.value)} />,
        )}
      <OtherErrors errors={mistake === undefined ? [] : [{ pointer: '', detail: mistake }]} shown={[]} />
      <p class="line">
        <button type="submit" class="primary" aria-disabled={obstacle !== undefined || busy.value !== undefined ? 'true' : undefined}>
          Send
        </button>
        {obstacle !== undefined && <span class="muted">{obstacle}</span>}
      </p>
      {answer && <Compared before={hop} answer={answer} />}
    </form>
  );
}

const decodedPath = (path: string): string => path.replaceAll(/%5B/gi, '[').replaceAll(/%5D/gi, ']');

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
