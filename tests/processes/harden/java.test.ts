import { basename } from 'node:path';
import { afterAll } from '@jest/globals';
import { aFolder } from '../../support/folder.ts';
import { runIn } from '../../support/scratch-project.ts';
import { skipTests } from '../../support/skipped.ts';
import { asItIs, EXAMPLES, testConsumers } from './playing.ts';

const PURCHASE = 'java/SoundPurchase.java';
const built = await aFolder();

// A class starts in a fraction of the time that the source file takes.
const { code, out, err } = await runIn(`${EXAMPLES}java`, 'bash', ['-ec', 'javac -d "$BUILT" *.java'], { BUILT: built.path });
if (code !== 0) {
  await built.remove();
  skipTests('the consumers in Java', `they cannot be compiled: ${`${out}${err}`.trim().split('\n').at(-1)}`, 'a JDK from version 17');
} else {
  afterAll(built.remove);
  testConsumers('java', (file) => (file.endsWith('.java') ? ['java', '-cp', built.path, basename(file, '.java')] : asItIs(file)), [
    {
      file: 'java/StockFeed.java',
      sibling: PURCHASE,
      effect: ({ code: ended, view }) => [ended, view['mug-blue'] > 0],
      mistaken: [0, false],
      sound: [0, true],
    },
    {
      file: 'java/Receipt.java',
      sibling: PURCHASE,
      effect: ({ code: ended, err: said }) => [ended, /\d+ was authorised for an order of \d+/.test(said)],
      mistaken: [0, false],
      sound: [1, true],
    },
    {
      file: 'java/Cancellation.java',
      sibling: PURCHASE,
      effect: ({ code: ended, err: said }) => [ended, /There is no .*cancelled/.test(said)],
      mistaken: [0, false],
      sound: [1, true],
    },
  ]);
}
