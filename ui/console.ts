import './kit/tokens.css';
import './sequence/sequence.css';
import './kit/base.css';
import './shell/shell.css';
import { h, render, type VNode } from 'preact';
import { asRefusal, loadConfig, openSession, startRouter } from './data/data.ts';
import { ProblemCard, startKeyboard } from './kit/kit.ts';
import { Shell } from './shell/shell.ts';

const root = document.getElementById('console');
if (!root) throw new Error('The HTML page has no place for the console.');
/** In place of the words for a console that does not come. */
const show = (view: VNode): void => {
  root.replaceChildren();
  render(view, root);
};
try {
  await loadConfig();
  openSession();
  startRouter();
  startKeyboard();
  show(h(Shell, {}));
} catch (error) {
  show(h('main', {}, h(ProblemCard, { refusal: asRefusal(error), retry: () => location.reload() })));
}
