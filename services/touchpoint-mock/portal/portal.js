import { curlCommand } from './curl.js';
import { isJson } from './json-text.js';
import { inWords, NO_ANSWER, NOT_SENDABLE } from './plain-words.js';
import { element, responseParts, scrollable, verdict } from './response-view.js';

const byId = (id) => document.getElementById(id);
const TITLES = { calculate: 'Calculate a basket', finish: 'Finish a basket' };

start().catch((error) => {
  const trouble = byId('trouble');
  trouble.textContent = `The portal could not load its cases (${error.message}). Is it still running? Reload the page to try again.`;
  trouble.hidden = false;
});

async function start() {
  const reply = await fetch('portal.json');
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  const portal = await reply.json();
  const caller = callerChoice(portal.authorization);
  const forms = new Map(portal.aliases.map((alias) => [alias.name, exchangeForm({ alias, portal, caller })]));
  byId('forms').append(...[...forms.values()].map((form) => form.section));
  for (const { name, prefilled } of portal.aliases) {
    const own = portal.cases.filter((fixture) => fixture.alias === name);
    const form = forms.get(name);
    byId(`cases-${name}`).append(...own.map((fixture) => caseButton({ fixture, form })));
    form.load(own.find((fixture) => fixture.case === prefilled) ?? own[0]);
  }
  caller.onChange(() => {
    for (const form of forms.values()) form.adoptCaller();
  });
  sequenceRunner({ portal, caller });
}

/** The choice of an authorization fixture; it holds for both forms and for the sequence. */
function callerChoice(fixtures) {
  const select = byId('authorization');
  select.append(...fixtures.map(({ name, title }) => element('option', { text: `${name} – ${title}`, attributes: { value: name } })));
  const current = () => fixtures.find(({ name }) => name === select.value) ?? fixtures[0];
  const show = () => {
    const { authorization, touchpointId, authorized } = current();
    const header = authorization === null ? 'No Authorization header' : `Authorization: ${authorization}`;
    byId('authorization-effect').textContent =
      `${header} · lane ${touchpointId} · ${authorized ? 'will be let in' : 'will be denied with 403'}`;
  };
  show();
  return {
    current,
    onChange: (listener) =>
      select.addEventListener('change', () => {
        show();
        listener();
      }),
  };
}

/** The body of a case, with the lane of the caller. */
function bodyOf(fixture, caller) {
  return JSON.stringify({ ...fixture.request, touchpointId: caller.current().touchpointId }, null, 2);
}

function headersFor({ caller, selector }) {
  const { authorization } = caller.current();
  return {
    'Content-Type': 'application/json',
    ...(authorization === null ? {} : { Authorization: authorization }),
    ...(selector === '' ? {} : { 'X-Mock-Case': selector }),
  };
}

/** Sends a request; `answer` is missing when there was none. */
async function exchange({ path, headers, body }) {
  let prepared;
  try {
    prepared = new Headers(headers);
  } catch {
    return { words: NOT_SENDABLE };
  }
  try {
    const response = await fetch(`mock${path}`, { method: 'POST', headers: prepared, body });
    const text = await response.text();
    const answer = {
      status: response.status,
      reason: response.statusText,
      headers: [...response.headers],
      text,
      body: isJson(text) ? JSON.parse(text) : undefined,
    };
    return { answer, words: inWords({ status: answer.status, body: answer.body, retryAfter: response.headers.get('Retry-After') }) };
  } catch {
    return { words: NO_ANSWER };
  }
}

function caseButton({ fixture, form }) {
  const button = element('button', {
    className: 'case',
    attributes: { type: 'button', 'data-case': fixture.case },
    children: [
      element('span', { className: 'case-name', text: fixture.case }),
      element('span', { className: 'case-title', text: fixture.title }),
      element('span', { className: fixture.status === 200 ? 'case-status' : 'case-status refused', text: String(fixture.status) }),
    ],
  });
  button.addEventListener('click', () => {
    form.load(fixture);
    form.focus();
  });
  return element('li', { children: [button] });
}

/** Shows in the list which case a form was last loaded with. */
function markCurrent({ alias, case: name }) {
  for (const button of byId(`cases-${alias}`).querySelectorAll('[data-case]')) {
    if (button.dataset.case === name) button.setAttribute('aria-current', 'true');
    else button.removeAttribute('aria-current');
  }
}

/** One form per alias, with its response beside it. */
function exchangeForm({ alias, portal, caller }) {
  const section = byId('form-template').content.cloneNode(true).querySelector('section');
  const part = (name) => section.querySelector(`[data-part="${name}"]`);
  nameParts({ section, alias });
  const [address, selector, body] = [part('address'), part('selector'), part('body')];
  const own = portal.cases.filter((fixture) => fixture.alias === alias.name);
  part('selectors').append(
    ...own.map((fixture) => element('option', { text: fixture.title, attributes: { value: fixture.case } })),
    element('option', { text: 'always refused', attributes: { value: portal.invalidSelector } }),
  );
  let loaded;

  const chosenSelector = () => selector.value.trim();
  const request = () => {
    const scenario = address.value === 'scenario';
    return {
      path: scenario ? `/caso${encodeURIComponent(chosenSelector())}` : alias.path,
      headers: headersFor({ caller, selector: scenario ? '' : chosenSelector() }),
      body: body.value,
    };
  };
  const refresh = () => {
    const { path, ...rest } = request();
    address.options[0].textContent = alias.path;
    address.options[1].textContent = `/caso${chosenSelector()} (the path implies the selector)`;
    part('curl').textContent = curlCommand({ url: `${location.origin}/mock${path}`, ...rest });
    part('body-hint').textContent = isJson(body.value) ? '' : 'This is not JSON: the mock will find no lane in it and deny it with 403.';
    part('copied').textContent = '';
  };
  const load = (fixture) => {
    selector.value = fixture.case;
    body.value = bodyOf(fixture, caller);
    loaded = body.value;
    markCurrent(fixture);
    refresh();
  };

  selector.addEventListener('input', () => {
    const fixture = own.find((candidate) => candidate.case === chosenSelector());
    // A body that somebody edited is theirs; only an untouched one follows the selector.
    if (fixture !== undefined && body.value === loaded) load(fixture);
    else refresh();
  });
  body.addEventListener('input', refresh);
  address.addEventListener('change', refresh);
  part('copy').addEventListener('click', () => copy({ text: part('curl').textContent, source: part('curl'), outcome: part('copied') }));
  section.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    part('send').setAttribute('aria-busy', 'true');
    const { answer, words } = await exchange(request());
    part('send').removeAttribute('aria-busy');
    part('verdict').replaceChildren(verdict({ answer, words }));
    part('result').replaceChildren(...(answer ? responseParts({ answer, name: alias.name }) : []));
  });
  return {
    section,
    load,
    focus: () => {
      section.scrollIntoView({ block: 'start' });
      part('send').focus({ preventScroll: true });
    },
    adoptCaller: () => {
      if (isJson(body.value)) {
        const value = JSON.parse(body.value);
        const untouched = body.value === loaded;
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
          body.value = JSON.stringify({ ...value, touchpointId: caller.current().touchpointId }, null, 2);
        }
        if (untouched) loaded = body.value;
      }
      refresh();
    },
  };
}

/** Gives the parts of a form their ids, so that labels and lists find them. */
function nameParts({ section, alias }) {
  const id = (name) => `${alias.name}-${name}`;
  for (const node of section.querySelectorAll('[data-part]')) node.id = id(node.dataset.part);
  const part = (name) => section.querySelector(`#${id(name)}`);
  part('title').textContent = TITLES[alias.name];
  section.setAttribute('aria-labelledby', id('title'));
  part('selector').setAttribute('list', id('selectors'));
  part('body').setAttribute('aria-describedby', id('body-hint'));
  scrollable(part('curl'), `curl command for ${alias.name}`);
}

async function copy({ text, source, outcome }) {
  try {
    await navigator.clipboard.writeText(text);
    outcome.textContent = 'Copied.';
  } catch {
    source.closest('details').open = true;
    getSelection().selectAllChildren(source);
    outcome.textContent = 'The browser does not allow copying; the command is selected, copy it with the keyboard.';
  }
}

/** Runs the suggested cases in order, each through its alias, and shows every step. */
function sequenceRunner({ portal, caller }) {
  const button = byId('run-sequence');
  const outcome = byId('sequence-outcome');
  const steps = portal.sequence.map((name) => portal.cases.find((fixture) => fixture.case === name));
  byId('sequence-hint').textContent =
    `Sends ${portal.sequence.join(', ')}: three items, the loyalty card, finish, and the retry of finish.`;
  let running = false;

  button.addEventListener('click', async () => {
    if (running) return;
    running = true;
    button.setAttribute('aria-disabled', 'true');
    byId('sequence-steps').replaceChildren();
    outcome.textContent = 'Running…';
    outcome.textContent = await runSteps({ steps, portal, caller });
    button.removeAttribute('aria-disabled');
    running = false;
  });
}

async function runSteps({ steps, portal, caller }) {
  for (const [index, fixture] of steps.entries()) {
    const { path } = portal.aliases.find(({ name }) => name === fixture.alias);
    const { answer, words } = await exchange({
      path,
      headers: headersFor({ caller, selector: fixture.case }),
      body: bodyOf(fixture, caller),
    });
    byId('sequence-steps').append(stepPart({ fixture, path, answer, words }));
    // A client stops at a denied authorization or a dead line instead of sending the rest.
    if (answer?.status !== fixture.status) return `Stopped at step ${index + 1} of ${steps.length}, case ${fixture.case}. ${words.text}`;
  }
  return `All ${steps.length} steps were answered as expected.`;
}

function stepPart({ fixture, path, answer, words }) {
  return element('li', {
    className: 'step',
    attributes: { 'data-case': fixture.case },
    children: [
      element('p', {
        className: 'step-head',
        children: [
          element('span', { className: 'case-name', text: fixture.case }),
          element('strong', { text: fixture.title }),
          element('code', { text: path }),
        ],
      }),
      verdict({ answer, words }),
      ...(answer
        ? [
            element('details', {
              children: [
                element('summary', { text: answer.body?.total === undefined ? 'Answer' : `Answer, total ${answer.body.total.toFixed(2)}` }),
                ...responseParts({ answer, name: `step ${fixture.case}` }),
              ],
            }),
          ]
        : []),
    ],
  });
}
