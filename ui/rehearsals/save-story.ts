import { act, control } from '../data/data.ts';
import { download } from '../kit/kit.ts';

/** Downloads what happened as a scenario for `rehearse`. */
export const saveStory = (name: string): Promise<void> =>
  act('save', async () => {
    const { text } = await control('read-story', {}, { rehearsal: name });
    const file = `recorded-${name}.ts`;
    download(file, new Blob([text], { type: 'text/plain' }));
    return `${file} was downloaded. “npm run rehearse -- ${file}” runs it; see docs/how-to/own-scenarios.md.`;
  });
