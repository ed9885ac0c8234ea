import { h, render, type VNode } from 'preact';
import { loadFacts } from './facts.ts';
import { startKeyboard } from './keyboard.ts';
import { ProblemCard } from './parts.ts';
import { asRefusal } from './refusal.ts';
import { startRouter } from './router.ts';
import { openSession } from './session.ts';
import { Shell } from './shell.ts';

const root = document.getElementById('console');
if (!root) throw new Error('The HTML page has no place for the console.');
/** In place of the words for a console that does not come. */
const show = (view: VNode): void => {
  root.replaceChildren();
  render(view, root);
};
try {
  await loadFacts();
  openSession();
  startRouter();
  startKeyboard();
  show(h(Shell, {}));
} catch (error) {
  show(h('main', {}, h(ProblemCard, { refusal: asRefusal(error), retry: () => location.reload() })));
}
