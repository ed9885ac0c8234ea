import { differences, documentedAnswer } from './differences.js';
import { byId, element } from './elements.js';
import { explained } from './plain-words.js';
import { requestOf } from './request.js';
import { caseResult } from './result-view.js';

/** Runs every case in order, and compares each answer with the documented one. A second click on the button stops the run. */
export function setUpAllCases({ portal, caller, send, open }) {
  const button = byId('run-all');
  const outcome = byId('all-outcome');
  let running;

  button.addEventListener('click', async () => {
    if (running) {
      running.abort();
      return;
    }
    running = new AbortController();
    button.textContent = 'Stop';
    outcome.textContent = '';
    outcome.classList.remove('failed');
    byId('all-results').replaceChildren();
    const results = await runAll({ portal, caller: caller.current(), send, open, signal: running.signal });
    running = undefined;
    button.textContent = button.dataset.text;
    byId('all-progress').hidden = true;
    outcome.classList.toggle(
      'failed',
      results.some(({ found }) => found.length > 0),
    );
    outcome.textContent = summary({ results, portal, caller: caller.current() });
  });
}

async function runAll({ portal, caller, send, open, signal }) {
  const results = [];
  for (const fixture of portal.cases) {
    showProgress({ done: results.length, of: portal.cases.length, name: fixture.case });
    const sent = await send(requestOf({ fixture, caller }), signal);
    if (signal.aborted) break;
    const documented = documentedAnswer({ fixture, caller });
    const found = sent.answer ? differences({ documented, answer: sent.answer }) : [explained(sent).text];
    results.push({ fixture, found });
    byId('all-results').append(caseResult({ fixture, sent, documented, found, open }));
  }
  return results;
}

function showProgress({ done, of, name }) {
  byId('all-progress').hidden = false;
  byId('all-progress').replaceChildren(
    element('progress', { attributes: { max: of, value: done, 'aria-label': 'Cases that were run' } }),
    element('span', { text: `${done} of ${of}, now case ${name}` }),
  );
}

function summary({ results, portal, caller }) {
  const of = portal.cases.length;
  const failed = results.filter(({ found }) => found.length > 0).map(({ fixture }) => fixture.case);
  const good = results.length - failed.length;
  const sentences = [
    results.length < of ? `Stopped after ${results.length} of ${of} cases.` : '',
    failed.length === 0 && results.length === of ? `All ${of} cases were answered as documented.` : '',
    failed.length === 0 && results.length < of ? `${good} were answered as documented.` : '',
    failed.length > 0
      ? `${good} of ${results.length} cases were answered as documented, ${failed.length} ${failed.length === 1 ? 'was' : 'were'} not: ${failed.join(', ')}.`
      : '',
    failed.length > 0 && !caller.authorized
      ? 'The chosen caller is to be denied; the cases document the answers to one that is let in.'
      : '',
  ];
  return sentences.filter(Boolean).join(' ');
}
