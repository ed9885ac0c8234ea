import './kit/tokens.css';
import './kit/base.css';
import { render, type VNode } from 'preact';
import { asRefusal, loadConfig, openSession, startRouter } from './data/data.ts';
import { explainWords, ProblemCard, startKeyboard } from './kit/kit.ts';
import { Shell } from './shell/shell.tsx';

const root = document.getElementById('console');
if (!root) throw new Error('The HTML page has no place for the console.');
/** Replaces the text that the HTML page shows while the console cannot start. */
const show = (view: VNode): void => {
  root.replaceChildren();
  render(view, root);
};
try {
  await loadConfig();
  openSession();
  startRouter();
  startKeyboard();
  explainWords();
  show(<Shell />);
} catch (error) {
  show(
    <main>
      <ProblemCard refusal={asRefusal(error)} retry={() => location.reload()} />
    </main>,
  );
}
