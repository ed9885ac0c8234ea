import { markCurrent } from './case-list.js';
import { curlCommand } from './curl.js';
import { byId, element, scrollable } from './elements.js';
import { bodyOf, exchange, headersFor } from './exchange.js';
import { isJson } from './json-text.js';
import { responseParts, verdict } from './response-view.js';

const TITLES = { calculate: 'Calculate a basket', finish: 'Finish a basket' };

/** One form per alias, with its response beside it. */
export function createExchangeForm({ alias, portal, caller }) {
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
    // Only an unedited body follows the selector.
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
