import * as declared from '../../shared/catalog/control/operations/story.ts';
import { operate } from '../operate.ts';
import { readRecording } from '../story/recording.ts';
import { storyOf } from '../story/story.ts';

export const readStory = operate(declared.readStory)((_input, { worlds, world, rehearsal, inSlices, gone }) =>
  inSlices(gone, async (breathe) => ({
    text: await storyOf(await readRecording(worlds, { rehearsal, world }, breathe), breathe),
  })),
);
