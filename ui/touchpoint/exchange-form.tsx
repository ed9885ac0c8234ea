import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Choice } from '../kit/field.tsx';
import { wallTime } from '../kit/format.ts';
import { curlCommand, onTheWire, reachable } from './exchange.ts';
import type { Form, Portal } from './portal.ts';
import { AnswerParts, Code, Verdict } from './response.tsx';
import css from './touchpoint.module.css';

const TITLES = { calculate: 'Calculate a basket', finish: 'Finish a basket' };

/** The form of an alias, with its response beside it. */
export function ExchangeForm({ portal: { description }, form }: { portal: Portal; form: Form }) {
  const { name, path } = form.alias;
  const id = (part: string): string => `${name}-${part}`;
  const element = useRef<HTMLFormElement>(null);
  const { path: address, ...rest } = onTheWire(description, form.request.value);
  const sendByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!event.repeat) element.current?.requestSubmit();
  };
  return (
    <section class={`card in side-by-side ${css.exchange}`} aria-labelledby={id('title')}>
      <form
        ref={element}
        noValidate
        autocomplete="off"
        onKeyDown={sendByKey}
        onSubmit={(event) => {
          event.preventDefault();
          void form.send();
        }}
      >
        <h2 id={id('title')}>{TITLES[name]}</h2>
        <label for={id('address')}>Send to</label>
        <Choice
          attributes={{ id: id('address') }}
          value={form.address.value}
          choices={[
            ['alias', path],
            ['scenario', `/caso${form.request.value.selector} (the path implies the selector)`],
          ]}
          onChange={(value) => (form.address.value = value)}
        />
        <label for={id('selector')}>X-Mock-Case selector</label>
        <input
          id={id('selector')}
          type="text"
          spellcheck={false}
          autocapitalize="off"
          list={id('selectors')}
          value={form.selector.value}
          onInput={({ currentTarget }) => form.select(currentTarget.value)}
        />
        <datalist id={id('selectors')}>
          {form.cases.map((fixture) => (
            <option key={fixture.case} value={fixture.case}>
              {fixture.title}
            </option>
          ))}
          <option value={description.invalidSelector}>always refused</option>
        </datalist>
        <label for={id('body')}>Request body</label>
        <textarea
          id={id('body')}
          rows={17}
          spellcheck={false}
          autocapitalize="off"
          aria-describedby={id('body-hint')}
          value={form.body.value}
          onInput={({ currentTarget }) => (form.body.value = currentTarget.value)}
        />
        <p class="muted" id={id('body-hint')} role="status">
          {form.trouble.value !== undefined && `${form.trouble.value}: the mock will find no lane and answer 403.`}
        </p>
        <Send form={form} command={curlCommand(`${reachable(description.mock)}${address}`, rest)} />
      </form>
      <Response form={form} />
    </section>
  );
}

/** The button that sends, and the request as a command. */
function Send({ form: { alias, isSending }, command }: { form: Form; command: string }) {
  const isOpen = useSignal(false);
  const shown = useRef<HTMLDivElement>(null);
  const copied = useSignal<{ readonly command: string; readonly words: string }>({ command, words: '' });
  const copy = async (): Promise<void> => {
    let words = 'Copied.';
    try {
      await navigator.clipboard.writeText(command);
    } catch {
      isOpen.value = true;
      if (shown.current) getSelection()?.selectAllChildren(shown.current);
      words = 'The browser does not allow copying; the command is selected, copy it with the keyboard.';
    }
    copied.value = { command, words };
  };
  return (
    <>
      <div class="line">
        <button
          type="submit"
          class="primary"
          id={`${alias.name}-send`}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          aria-busy={isSending.value}
        >
          Send
        </button>
        <button type="button" id={`${alias.name}-copy`} onClick={() => void copy()}>
          Copy as curl
        </button>
        <span class="muted wide">
          <kbd>Ctrl</kbd> or <kbd>⌘</kbd> with <kbd>Enter</kbd> sends
        </span>
        <span class="muted" role="status">
          {copied.value.command === command && copied.value.words}
        </span>
      </div>
      <details open={isOpen.value} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>The request as curl</summary>
        <div ref={shown} id={`${alias.name}-curl`}>
          <Code label={`curl command for ${alias.name}`}>{command}</Code>
        </div>
      </details>
    </>
  );
}

function Response({ form }: { form: Form }) {
  const { name } = form.alias;
  const sent = form.sent.value;
  return (
    <div data-at={sent?.at}>
      <div class="title">
        <h3>Response</h3>
        <p class="muted" id={`${name}-sent-at`}>
          {sent ? `Sent at ${wallTime(sent.at)}` : 'Not sent yet.'}
        </p>
      </div>
      <div role="status" id={`${name}-verdict`}>
        {sent && <Verdict sent={sent} />}
      </div>
      <div id={`${name}-result`}>{sent?.answer && <AnswerParts key={sent.at} answer={sent.answer} name={name} />}</div>
    </div>
  );
}
