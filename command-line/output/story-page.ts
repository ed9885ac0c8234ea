import { createHash } from 'node:crypto';
import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { readPlay } from '../../shared/catalog/control/operations/plays.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { emptyStoryPage, withStory } from '../../ui/report/story-page.ts';
import { loadPage } from './drawings.ts';
import type { Look } from './table.ts';

type Story = ControlOutput<typeof readPlay>;

/** A story: a page for a file or a pipe, and its sentences for a terminal. */
export const showStory = (story: Story, look: Look): string | Promise<string> =>
  look.columns === undefined ? storyPage(story) : storyText(story, look);

/** A line for each exchange. A terminal wraps it: a sentence must not be cut. */
function storyText({ name, steps, omitted, truncated }: Story, { style }: Look): string {
  const width = String(steps.length).length;
  const lines = steps.map(({ at, sentence, changes }, place) => {
    const head = style('dim', `${String(place + 1).padStart(width)}  ${at.slice(0, 16).replace('T', ' ')}`);
    const changed = changes.length === 0 ? '' : `  ${style('bold', inOneLine(changes.join(', ')))}`;
    return `${head}  ${inOneLine(sentence)}${changed}`;
  });
  const notes = [
    ...(omitted > 0 ? [`${omitted} later exchanges are left out: give a higher --limit.`] : []),
    ...(truncated ? ['Older calls are gone: the journal has reached its limit.'] : []),
    'Write it to a file to play it in a browser: add > story.html.',
  ];
  return [style('bold', inOneLine(name)), ...lines, ...notes.map((text) => style('dim', text))].join('\n');
}

/** The story as one page. */
export const storyPage = async (story: Story): Promise<string> => withStory(emptyStoryPage(await loadPage('story'), hashOf), story);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
