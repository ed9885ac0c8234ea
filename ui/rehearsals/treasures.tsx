import { estateLink, isBusy, rehearsalLink } from '../data/data.ts';
import { KeepCard } from './keep-card.tsx';
import { saveStory } from './save-story.ts';

/** What a rehearsal offers beyond its pages: keep and fork it, save it as a scenario, play it, verify it, put your systems in. */
export const Treasures = ({ name }: { name: string }) => (
  <div class="stack">
    <p class="line">
      <button type="button" aria-disabled={isBusy()} onClick={() => void saveStory(name)}>
        Save as scenario
      </button>
      <a class="button" href={rehearsalLink(name, 'play')}>
        Play its story
      </a>
      <a class="button" href={rehearsalLink(name, 'systems')}>
        Your systems
      </a>
      <a class="button" href={rehearsalLink(name, 'invariants')}>
        Verify
      </a>
      <a class="button" href={estateLink('rehearsals', name)}>
        Manage
      </a>
    </p>
    <details>
      <summary>Keep and fork</summary>
      <KeepCard name={name} />
    </details>
  </div>
);
