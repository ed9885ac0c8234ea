import { h, render } from 'preact';
import { loadFacts } from './facts.ts';
import { startKeyboard } from './keyboard.ts';
import { ProblemCard } from './parts.ts';
import { asRefusal } from './refusal.ts';
import { startRouter } from './router.ts';
import { openSession } from './session.ts';
import { Shell } from './shell.ts';

const root = document.getElementById('console');
if (!root) throw new Error('The HTML page has no place for the console.');
try {
  await loadFacts();
  openSession();
  startRouter();
  startKeyboard();
  render(h(Shell, {}), root);
} catch (error) {
  render(h('main', {}, h(ProblemCard, { refusal: asRefusal(error), retry: () => location.reload() })), root);
}
