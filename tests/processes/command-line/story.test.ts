import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { COMMAND, runAtTerminal, runEstate } from '../../support/command.ts';
import { estate, newRehearsal } from '../../support/estate.ts';

test('estate play writes one page whose policy permits only its own script and sheet, and whose story is data', async () => {
  await using rehearsal = await newRehearsal();
  const { id, orderNumber } = await rehearsal.draft();
  const hostile = '</script><script>alert(1)</script>\u0007';
  await rehearsal.api('create-customer-api', { body: { firstName: hostile, lastName: 'x', email: 'h@people.example' } });
  const at = ['--rehearsal', rehearsal.name];
  const { code, out, err } = await runEstate(['play', 'order', orderNumber, ...at]);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^<!doctype html>\n/);
  expect(out).toContain(`<title>Story of order ${orderNumber}</title>`);
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(out) ?? [];
  const hashOf = (text: string | undefined) =>
    `'sha256-${createHash('sha256')
      .update(text ?? '')
      .digest('base64')}'`;
  const [, script] = /<script type="module">([\s\S]*?)<\/script>/.exec(out) ?? [];
  const [, styles] = /<style>([\s\S]*?)<\/style>/.exec(out) ?? [];
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(styles)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ]);
  const [, data = ''] = /<script type="application\/json" id="story">([^<]*)<\/script>/.exec(out) ?? [];
  const { steps } = JSON.parse(data);
  const read = await rehearsal.control('read-play', { query: { type: 'order', id } });
  expect(steps).toEqual(read.steps);
  expect(Buffer.byteLength(out)).toBeLessThan(150_000);
  const whole = await runEstate(['play', ...at]);
  expect(whole.out.match(/<\/script>/g)).toHaveLength(2);
  expect(whole.out).not.toContain('\u0007');
});

test('estate play prints the sentences at a terminal, JSON on request, and refuses what it cannot play', async () => {
  await using rehearsal = await newRehearsal();
  const { id } = await rehearsal.draft();
  const at = `--rehearsal ${rehearsal.name} --against ${estate.gateway}`;
  const { out: shown } = await runAtTerminal(`${COMMAND} play order ${id} --limit 2 ${at}`);
  expect(shown).toContain('Your client calls the');
  expect(shown).toContain('later exchanges are left out: give a higher --limit.');
  expect(shown).not.toContain('<!doctype');
  const json = await runEstate(['play', 'order', id, '--json', '--rehearsal', rehearsal.name]);
  expect(JSON.parse(json.out)).toMatchObject({ omitted: 0, truncated: false });
  const refusals = [
    [['play', 'order', 'ord_none'], 'There is no order "ord_none" in this rehearsal.'],
    [['play', 'order'], 'A story with ?type needs ?id too.'],
    [['play', 'order', id, '--limit', '5000'], '--limit'],
  ] as const;
  for (const [args, words] of refusals) {
    const { code, out, err } = await runEstate([...args, '--rehearsal', rehearsal.name]);
    expect([code === 0, out]).toEqual([false, '']);
    expect(err).toContain(words);
  }
});
