import { reachable } from './addresses.js';
import { markCurrent } from './case-list.js';
import { curlCommand } from './curl.js';
import { byId, element, scrollable } from './elements.js';
import { isJson } from './json-text.js';
import { laneTrouble } from './lane.js';
import { bodyOf, onTheWire } from './request.js';
import { responseParts, verdict } from './response-view.js';
import { clockTime } from './times.js';

const TITLES = { calculate: 'Calculate a basket', finish: 'Finish a basket' };

/** One form per alias, with its response beside it. */
export function createExchangeForm({ alias, portal, caller, send }) {
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
  let sending = false;
  let shown = 0;

  const chosenSelector = () => selector.value.trim();
  const chosenCase = () => own.find((candidate) => candidate.case === chosenSelector());
  const request = () => ({
    alias: alias.name,
    address: address.value,
    selector: chosenSelector(),
    caller: caller.current().name,
    body: body.value,
  });
  const refresh = () => {
    const { path, ...rest } = onTheWire({ portal, request: request() });
    address.options[0].textContent = alias.path;
    address.options[1].textContent = `/caso${chosenSelector()} (the path implies the selector)`;
    part('curl').textContent = curlCommand({ url: `${reachable(portal.mock)}${path}`, ...rest });
    const trouble = laneTrouble(body.value);
    part('body-hint').textContent = trouble === undefined ? '' : `${trouble}: the mock will find no lane and answer 403.`;
    caller.noteLane(alias.name, trouble === undefined);
    part('copied').textContent = '';
  };
  const load = (fixture) => {
    selector.value = fixture.case;
    body.value = bodyOf({ fixture, caller: caller.current() });
    loaded = body.value;
    markCurrent({ alias: alias.name, case: fixture.case });
    showNothing();
    refresh();
  };
  const showNothing = () => {
    shown += 1;
    part('sent-at').textContent = 'Not sent yet.';
    part('verdict').replaceChildren();
    part('result').replaceChildren();
  };
  const showAnswer = (sent) => {
    shown += 1;
    part('sent-at').textContent = `Sent at ${clockTime(sent.at)}`;
    part('verdict').replaceChildren(verdict(sent));
    part('result').replaceChildren(...(sent.answer ? responseParts({ answer: sent.answer, name: alias.name }) : []));
  };

  selector.addEventListener('input', () => {
    const fixture = chosenCase();
    // Only an unedited body follows the selector.
    if (fixture !== undefined && body.value === loaded) load(fixture);
    else refresh();
  });
  body.addEventListener('input', refresh);
  address.addEventListener('change', refresh);
  part('copy').addEventListener('click', () => copy({ text: part('curl').textContent, source: part('curl'), outcome: part('copied') }));
  section.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!event.repeat) section.querySelector('form').requestSubmit();
  });
  section.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    if (sending) return;
    sending = true;
    part('send').setAttribute('aria-busy', 'true');
    const before = shown;
    const sent = await send(request());
    // When the form has another request by now, the answer appears in the history only.
    if (shown === before) showAnswer(sent);
    part('send').removeAttribute('aria-busy');
    sending = false;
  });
  return {
    section,
    load,
    restore: (sent) => {
      address.value = sent.request.address;
      selector.value = sent.request.selector;
      body.value = sent.request.body;
      const fixture = chosenCase();
      loaded = fixture && bodyOf({ fixture, caller: caller.current() });
      markCurrent({ alias: alias.name, case: fixture?.case });
      refresh();
      showAnswer(sent);
    },
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
