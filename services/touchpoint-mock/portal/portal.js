import { reachable } from './addresses.js';
import { setUpAllCases } from './all-cases.js';
import { setUpCallerChoice } from './caller-choice.js';
import { createCaseButton } from './case-list.js';
import { byId, element } from './elements.js';
import { createExchangeForm } from './exchange-form.js';
import { setUpHistory } from './history-list.js';
import { placeRail } from './rail.js';
import { createSender } from './sender.js';
import { setUpSequence } from './sequence.js';

start().catch((error) => {
  const trouble = byId('trouble');
  trouble.textContent = `The portal could not load its cases (${error.message}). Is it still running? Reload the page to try again.`;
  trouble.hidden = false;
});

async function start() {
  const reply = await fetch('portal.json');
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  const portal = await reply.json();
  const caller = setUpCallerChoice(portal.authorization);
  const forms = new Map();
  const open = (sent) => {
    caller.choose(sent.request.caller);
    const form = forms.get(sent.request.alias);
    form.restore(sent);
    form.focus();
  };
  const send = createSender({ portal, history: setUpHistory({ portal, open }) });
  for (const alias of portal.aliases) forms.set(alias.name, createExchangeForm({ alias, portal, caller, send }));
  byId('forms').append(...[...forms.values()].map((form) => form.section));
  for (const { name, prefilled } of portal.aliases) {
    const own = portal.cases.filter((fixture) => fixture.alias === name);
    const form = forms.get(name);
    byId(`cases-${name}`).append(...own.map((fixture) => createCaseButton({ fixture, form })));
    form.load(own.find((fixture) => fixture.case === prefilled) ?? own[0]);
  }
  caller.onChange(() => {
    for (const form of forms.values()) form.adoptCaller();
  });
  setUpSequence({ portal, caller, send });
  setUpAllCases({ portal, caller, send, open });
  placeRail();
  if (portal.console) {
    byId('related').prepend(element('a', { className: 'console', text: 'Console', attributes: { href: `${reachable(portal.console)}/` } }));
  }
}
