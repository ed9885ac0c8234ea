import { expect, test } from '@jest/globals';
import { createReceive } from '../../estate/snapshot-checks.ts';
import { refuseSecretsInFile } from '../../shared/contract/secrets.ts';
import { inOneSlice } from '../../shared/domain/breathe.ts';
import { searchedPieces } from '../../shared/domain/redaction.ts';
import { createSlices, NEVER_GONE } from '../../shared/process/slices.ts';

const CARD = '4111 1111 1111 1111';
const LENGTH = 300_000;

test('A search of a file for secrets permits a pause after each piece of a long text', async () => {
  let pauses = 0;
  const breathe = () => {
    pauses += 1;
    return undefined;
  };
  await refuseSecretsInFile({ text: '1 '.repeat(LENGTH / 2) }, breathe);
  expect(pauses).toBeGreaterThanOrEqual(LENGTH / 16_384);
});

test.each(['1 ', 'a, ', 'a', '+', '"'])(
  'A search of a text of %j finds a card at each place beside the end of a piece',
  async (filling) => {
    const text = filling.repeat(LENGTH / filling.length);
    const [first = ''] = searchedPieces(text);
    for (let at = first.length - CARD.length - 2; at <= first.length + 2; at++) {
      const file = { text: `${text.slice(0, at - 1)}"${CARD}"${text.slice(at)}` };
      await expect(refuseSecretsInFile(file, inOneSlice)).rejects.toMatchObject({
        context: { errors: [{ pointer: '/text', code: 'card_number' }] },
      });
    }
  },
);

test('A search of a file for secrets finds none in a long text of names, digests and telephone numbers', async () => {
  const line = '{"id":"ord_01M8J4TF8SQ9D3KZK7WHC7HEBV","digest":"c5a1f7e2b09d4e6f8a7b6c5d4e3f2a1b0c9d8e7f","phone":"+353 91 411 111 1111"}';
  await expect(
    refuseSecretsInFile({ text: line.repeat(3_000), hex: '4111111111111111'.repeat(9_000) }, inOneSlice),
  ).resolves.toBeUndefined();
});

test('A search of a file for secrets ends at the twentieth', async () => {
  const error = await refuseSecretsInFile(Array(900).fill(CARD), inOneSlice).catch((one: unknown) => one);
  expect(error).toMatchObject({ context: { errors: { length: 20 }, errorsOmitted: undefined } });
});

test('An upload whose format is wrong is not searched for secrets', async () => {
  const receive = createReceive({ most: 10_000_000, secrets: [], inSlices: createSlices() });
  const bytes = Buffer.from(JSON.stringify({ format: 'unified-commerce-estate-snapshot', version: 1, events: Array(40).fill(CARD) }));
  const error = await receive({ bytes, name: 'cards', reseal: true, unverified: true }, NEVER_GONE).catch((one: unknown) => one);
  const { context } = error as { readonly context: { readonly errors: readonly { readonly code: string }[] } };
  expect(context.errors.map(({ code }) => code)).not.toContain('card_number');
});
