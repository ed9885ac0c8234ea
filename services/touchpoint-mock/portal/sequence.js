import { byId, element } from './elements.js';
import { explained } from './plain-words.js';
import { requestOf } from './request.js';
import { responseParts, totalOf, verdict } from './response-view.js';

/** Runs the suggested cases in order, each through its alias, and shows every step. */
export function setUpSequence({ portal, caller, send }) {
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
    outcome.textContent = await runSteps({ steps, portal, caller, send });
    button.removeAttribute('aria-disabled');
    running = false;
  });
}

async function runSteps({ steps, portal, caller, send }) {
  for (const [index, fixture] of steps.entries()) {
    const { path } = portal.aliases.find(({ name }) => name === fixture.alias);
    const sent = await send(requestOf({ fixture, caller: caller.current() }));
    byId('sequence-steps').append(stepPart({ fixture, path, sent }));
    // A client stops at a denied authorization or a failed connection.
    if (sent.answer?.status !== fixture.status) {
      return `Stopped at step ${index + 1} of ${steps.length}, case ${fixture.case}. ${explained(sent).text}`;
    }
  }
  return `All ${steps.length} steps were answered as expected.`;
}

function stepPart({ fixture, path, sent }) {
  const { answer } = sent;
  const total = answer && totalOf(answer);
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
      verdict(sent),
      ...(answer
        ? [
            element('details', {
              children: [
                element('summary', { text: total === undefined ? 'Answer' : `Answer, total ${total}` }),
                ...responseParts({ answer, name: `step ${fixture.case}` }),
              ],
            }),
          ]
        : []),
    ],
  });
}
