import { setUpCallerChoice } from './caller-choice.js';
import { createCaseButton } from './case-list.js';
import { byId } from './elements.js';
import { createExchangeForm } from './exchange-form.js';
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
  const forms = new Map(portal.aliases.map((alias) => [alias.name, createExchangeForm({ alias, portal, caller })]));
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
  setUpSequence({ portal, caller });
}
