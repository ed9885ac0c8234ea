import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { PortalAlias, PortalCaller, PortalCase, PortalDescription } from '../../services/touchpoint-mock/portal-description.ts';
import { bodyOf, exchange, firstOf, laneTrouble, onTheWire, type PortalRequest, type Sent } from './exchange.ts';
import { createHistory } from './history.ts';
import { parsed } from './json-text.ts';

/** The form of an alias, and its last exchange. */
export type Form = ReturnType<typeof createForm>;
/** The state of the page. */
export type Portal = ReturnType<typeof createPortal>;

type Send = (request: PortalRequest, signal?: AbortSignal) => Promise<Sent>;

export function createPortal(description: PortalDescription) {
  const { authorization, aliases } = description;
  const chosen = signal('');
  const caller = computed(() => firstOf(authorization, ({ name }) => name === chosen.value));
  const history = createHistory(description);
  /** Sends a request and keeps the exchange in the history. */
  const send: Send = async (request, stop) => {
    const at = Date.now();
    const began = performance.now();
    const outcome = await exchange(onTheWire(description, request), stop);
    const sent = { request, at, durationMs: Math.round(performance.now() - began), ...outcome };
    if (outcome.failure !== 'not-sendable') history.add(sent);
    return sent;
  };
  const forms = aliases.map((alias) => createForm(alias, { description, caller, send }));
  const choose = (name: string): void => {
    chosen.value = name;
    for (const form of forms) form.adoptCaller();
  };
  /** Shows an exchange in its form. */
  const open = (sent: Sent): void => {
    choose(sent.request.caller);
    firstOf(forms, ({ alias }) => alias.name === sent.request.alias).restore(sent);
    focusForm(sent.request.alias);
  };
  return { description, caller, forms, history, choose, send, open };
}

/** Scrolls to the form of an alias. Its button takes the focus. */
export function focusForm(alias: string): void {
  const button = document.getElementById(`${alias}-send`);
  button?.closest('section')?.scrollIntoView({ block: 'start' });
  button?.focus({ preventScroll: true });
}

interface Around {
  readonly description: PortalDescription;
  readonly caller: ReadonlySignal<PortalCaller>;
  readonly send: Send;
}

function createForm(alias: PortalAlias, { description, caller, send }: Around) {
  const cases = description.cases.filter((fixture) => fixture.alias === alias.name);
  const [address, selector, body] = [signal('alias'), signal(''), signal('')];
  const isSending = signal(false);
  /** Undefined if the form has changed its request since. */
  const sent = signal<Sent>();
  /** The case that the form was last loaded with. */
  const loaded = signal<string>();
  const request = computed(() => ({
    alias: alias.name,
    address: address.value,
    selector: selector.value.trim(),
    caller: caller.value.name,
    body: body.value,
  }));
  /** The body that the form was last loaded with. */
  let unedited: string | undefined;
  /** Number of exchanges that the form has shown. */
  let shown = 0;
  const show = (exchanged: Sent | undefined): void => {
    shown += 1;
    sent.value = exchanged;
  };
  const caseOf = (name: string): PortalCase | undefined => cases.find((fixture) => fixture.case === name.trim());
  const load = (fixture: PortalCase): void => {
    selector.value = fixture.case;
    unedited = bodyOf(fixture, caller.peek());
    body.value = unedited;
    loaded.value = fixture.case;
    show(undefined);
  };
  load(firstOf(cases, (fixture) => fixture.case === alias.prefilled));
  return {
    alias,
    cases,
    address,
    selector,
    body,
    sent,
    isSending,
    loaded,
    request,
    /** Why the mock will find no lane in the body. */
    trouble: computed(() => laneTrouble(body.value)),
    load,
    select: (name: string): void => {
      const fixture = caseOf(name);
      // Only an unedited body follows the selector.
      if (fixture !== undefined && body.peek() === unedited) load(fixture);
      else selector.value = name;
    },
    restore: (earlier: Sent): void => {
      address.value = earlier.request.address;
      selector.value = earlier.request.selector;
      body.value = earlier.request.body;
      const fixture = caseOf(earlier.request.selector);
      unedited = fixture && bodyOf(fixture, caller.peek());
      loaded.value = fixture?.case;
      show(earlier);
    },
    send: async (): Promise<void> => {
      if (isSending.peek()) return;
      isSending.value = true;
      const before = shown;
      const answered = await send(request.peek());
      // If the form has changed its request since, the answer appears in the history only.
      if (shown === before) show(answered);
      isSending.value = false;
    },
    adoptCaller: (): void => {
      const value = parsed(body.peek());
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      const isUnedited = body.peek() === unedited;
      body.value = JSON.stringify({ ...value, touchpointId: caller.peek().touchpointId }, null, 2);
      if (isUnedited) unedited = body.peek();
    },
  };
}
