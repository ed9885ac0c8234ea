import '../kit/tokens.css';
import '../kit/base.css';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import css from '../play/play.module.css';
import { Player } from '../play/player.tsx';
import { type Story, stepIn } from '../play/story.ts';

type KeyMap = Readonly<Record<string, () => void>>;

/** Binds keys of the page while no field has the focus. */
function useKeys(keys: KeyMap): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
      const run = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** A story as a separate page. The fragment of its address is the step. */
function StoryPage({ story }: { story: Story }) {
  const [at, setAt] = useState(() => stepIn(location.hash.slice(1) || null, story));
  useEffect(() => {
    const look = (): void => setAt(stepIn(location.hash.slice(1) || null, story));
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  const onStep = (step: number): void => {
    history.replaceState(null, '', `#${step}`);
    setAt(step);
  };
  return (
    <main class={css.alone}>
      {story.steps.length === 0 ? (
        <p class={css.list}>Nothing has happened in {story.name} yet.</p>
      ) : (
        <Player story={story} at={at} onStep={onStep} useKeys={useKeys} title={<h1>Story of {story.name}</h1>} />
      )}
    </main>
  );
}

const root = document.getElementById('player');
if (root) {
  root.replaceChildren();
  render(<StoryPage story={JSON.parse(document.getElementById('story')?.textContent ?? '') as Story} />, root);
}
