import { basename } from 'node:path';
import { afterAll } from '@jest/globals';
import { aFolder } from '../../support/folder.ts';
import { runIn } from '../../support/scratch-project.ts';
import { skipTests } from '../../support/skipped.ts';
import { asItIs, confirmed, EXAMPLES, issued, testConsumers } from './playing.ts';

const BIRTHDAY = 'go/sound_birthday.go';
const built = await aFolder();

// Each file is a program.
const { code, out, err } = await runIn(`${EXAMPLES}go`, 'bash', ['-ec', 'for file in *.go; do go build -o "$BUILT/" "$file"; done'], {
  BUILT: built.path,
});
if (code !== 0) {
  await built.remove();
  skipTests('the consumers in Go', `they cannot be built: ${`${out}${err}`.trim().split('\n').at(-1)}`, 'Go 1.24');
} else {
  afterAll(built.remove);
  testConsumers('go', (file) => (file.endsWith('.go') ? [built.at(basename(file, '.go'))] : asItIs(file)), [
    {
      file: 'go/confirm_order.go',
      sibling: BIRTHDAY,
      effect: async (played) => [played.code, await confirmed(played)],
      mistaken: [1, 1],
      sound: [0, 1],
    },
    {
      file: 'go/birthday_points.go',
      sibling: BIRTHDAY,
      effect: async (played) => [played.code, await issued(played), await issued(played, 'loy_clara'), await issued(played, 'loy_dmitri')],
      mistaken: [0, 1, 0, 1],
      sound: [0, 1, 1, 1],
    },
    {
      file: 'go/member_points.go',
      sibling: BIRTHDAY,
      effect: async (played) => [played.code, await issued(played)],
      mistaken: [1, 1],
      sound: [0, 1],
    },
    {
      file: 'go/order_board.go',
      sibling: 'javascript/sound-order-copy.mjs',
      effect: ({ code: ended, view }) => [ended, view.states],
      mistaken: [0, ['draft']],
      sound: [0, ['cancelled']],
    },
  ]);
}
