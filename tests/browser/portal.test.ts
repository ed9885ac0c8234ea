import { beforeAll, expect, test as plainTest } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { testIn } from '../support/test-in.ts';
import { aMock, aPortal } from '../touchpoint/running-touchpoint.ts';
import { expectSoundInEveryLook } from './looks.ts';
import { openPortal, send as sendForm } from './portal-page.ts';

describeInBrowser('The portal', () => {
  let mock: Listening;
  let portal: Listening;
  let page: Page;
  const open = async (url: string) => {
    const scene = await openPortal(url);
    ({ page } = scene);
    return scene;
  };
  const test = testIn(() => open(portal.url));

  beforeAll(async () => {
    mock = await aMock();
    portal = await aPortal({ mockUrl: mock.url });
  });

  const caseButton = (name: string) => page.locator(`button[data-case="${name}"]`);
  const verdict = (form: string) => page.locator(`#${form}-verdict p`);
  const send = (form: 'calculate' | 'finish') => sendForm(page, form);
  const responseBody = async (form: string) => (await page.locator(`#${form}-result pre`).textContent()) ?? '';
  const openAllDetails = () => page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
  const choose = (authorization: string) => page.selectOption('#authorization', authorization);

  test('The portal lists the 21 cases with their scenario and status, and starts with the selectors 02 and 10', async () => {
    expect(await page.getByRole('combobox', { name: 'X-Mock-Case selector' }).first().inputValue()).toBe('02');
    expect(await page.inputValue('#finish-selector')).toBe('10');
    expect(await page.locator('button[data-case]').count()).toBe(21);
    expect(await caseButton('19').textContent()).toBe('19The dedicated operator is unavailable503');
  });

  test('The portal selects the command when the browser does not allow copying', async () => {
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.click('#calculate-copy');
    await page.getByText('the command is selected').waitFor();
    expect(await page.evaluate('String(getSelection())')).toContain('curl -i -X POST');
  });

  test('The portal can be used from the first key press to the answer with the keyboard alone', async () => {
    const focused = () => page.evaluate('(({ id, dataset, className }) => id || dataset.case || className)(document.activeElement)');
    const tabTo = async (target: string) => {
      for (let presses = 0; presses < 60; presses += 1) {
        if ((await focused()) === target) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab never reached ${target}`);
    };
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('skip');
    await tabTo('17');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('calculate-send');
    await page.keyboard.press('Enter');
    await page.locator('#calculate-result [data-status=REJECTED]').waitFor();

    await page.reload();
    await page.waitForSelector('[data-case="10claimed"]');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tabTo('authorization');
    await page.keyboard.type('rev');
    expect(await page.inputValue('#authorization')).toBe('revoked');
    await tabTo('run-sequence');
    await page.keyboard.press('Space');
    await page.getByText('Stopped at step 1 of 6').waitFor();
    await tabTo('calculate-selector');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('18');
    await page.keyboard.press('Enter');
    await verdict('calculate').waitFor();
    await tabTo('calculate-body');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('calculate-send');
  });

  test('The portal shows status, headers and body of an answer', async () => {
    expect(await send('calculate')).toContain('200 OK');
    expect(await page.locator('#calculate-result dl').textContent()).toContain('application/json');
    const body = await responseBody('calculate');
    expect(JSON.parse(body)).toMatchObject({ basketId: 'basket-1001', total: 1.49 });
    expect(body).toContain('"saving": 0.00');
  });

  test.each(['07', '08', '15', '16b', '17'])(
    'The portal marks the rejected line of case %s, in the list and in the body',
    async (_scene, name) => {
      await caseButton(name).click();
      expect(await page.inputValue('#calculate-selector')).toBe(name);
      expect(await send('calculate')).toContain('was rejected');
      expect(await page.locator('#calculate-result [data-status=REJECTED]').textContent()).toContain('✕ Rejected');
      expect(await page.locator('#calculate-result mark').textContent()).toContain('"status": "REJECTED"');
      expect(await page.locator('#calculate-result mark').count()).toBe(1);
    },
  );

  test('The portal sends the edited body, and shows its basket in the answer', async () => {
    const body = JSON.parse(await page.inputValue('#calculate-body'));
    await page.fill('#calculate-body', JSON.stringify({ ...body, basketId: 'my "own" basket' }));
    await send('calculate');
    expect(JSON.parse(await responseBody('calculate'))).toMatchObject({ basketId: 'my "own" basket' });
  });

  test('The portal keeps an edited body when the selector changes, and loads the request of the case otherwise', async () => {
    await page.fill('#calculate-selector', '04');
    expect(JSON.parse(await page.inputValue('#calculate-body')).lines).toHaveLength(2);
    await page.fill('#calculate-body', '{"touchpointId":"SCO-01"}');
    await page.fill('#calculate-selector', '14');
    expect(await page.inputValue('#calculate-body')).toBe('{"touchpointId":"SCO-01"}');
  });

  test('The portal explains the outcome of each authorization fixture', async () => {
    const options = page.locator('#authorization option');
    const fixtures = await options.evaluateAll((all) => all.map((option) => option.getAttribute('value')));
    expect(fixtures).toEqual(['valid', 'missing', 'wrong-scheme', 'wrong-key', 'other-store', 'revoked', 'wrong-lane']);
    for (const name of fixtures.slice(1)) {
      await choose(name ?? '');
      for (const form of ['calculate', 'finish'] as const) expect(await send(form)).toContain('refused the key or the lane');
    }
    await choose('valid');
    expect(await send('calculate')).toContain('200 OK');
  });

  test('The portal puts the wrong lane into the body', async () => {
    await choose('wrong-lane');
    expect(JSON.parse(await page.inputValue('#calculate-body')).touchpointId).toBe('SCO-99');
    await choose('valid');
    expect(JSON.parse(await page.inputValue('#finish-body')).touchpointId).toBe('SCO-01');
  });

  test.each([
    ['an incompatible selector', async () => page.fill('#calculate-selector', '10'), 'belongs to the other alias'],
    ['no selector', async () => page.fill('#calculate-selector', ''), 'There is no default case'],
    ['a selector that no header can carry', async () => page.fill('#calculate-selector', '☕'), 'no HTTP header can carry'],
    ['a body that is not JSON', async () => page.fill('#calculate-body', '{nope'), 'The body is not JSON, so no lane was found'],
    ['an empty body', async () => page.fill('#calculate-body', ''), 'The body is empty, so no lane was found'],
    ['a body that is not an object', async () => page.fill('#calculate-body', '[]'), 'The body is not a JSON object, so no lane was found'],
    ['a body without a lane', async () => page.fill('#calculate-body', '{}'), 'has no lane as its touchpointId, so no lane was found'],
    ['touchpoints that are disabled', async () => caseButton('18').click(), 'switched off'],
    ['an operator that is unavailable', async () => caseButton('19').click(), 'Try again after 30 seconds'],
    ['a stale digest', async () => caseButton('09').click(), 'digest is stale', 'finish'],
    ['a basket that is paid', async () => caseButton('10c').click(), 'already paid', 'finish'],
    ['a basket at an assisted lane', async () => caseButton('10claimed').click(), 'assisted lane', 'finish'],
  ] as const)('The portal explains %s', async (_scene, _what, prepare, words, form: 'calculate' | 'finish' = 'calculate') => {
    await prepare();
    expect(await send(form)).toContain(words);
  });

  test('The portal warns beside the editor while the body has no lane, and predicts the denial', async () => {
    const hint = () => page.locator('#calculate-body-hint').textContent();
    const expected = () => page.locator('#authorization-effect').textContent();
    expect(await expected()).toContain('will be let in');
    await page.fill('#calculate-body', '{nope');
    expect(await hint()).toContain('not JSON');
    expect(await expected()).toMatch(/calculate will be denied with 403: its body has no lane$/);
    await page.fill('#finish-body', '');
    expect(await expected()).toMatch(/calculate and finish will be denied with 403: their bodies have no lane$/);
    await page.fill('#finish-body', '{"touchpointId":"SCO-01"}');
    await page.fill('#calculate-body', '{"touchpointId":"SCO-01"}');
    expect(await hint()).toBe('');
    expect(await expected()).toContain('will be let in');
  });

  test('The portal sends no selector header to the scenario endpoint', async () => {
    await caseButton('14').click();
    await page.selectOption('#calculate-address', 'scenario');
    const [request, words] = await Promise.all([page.waitForRequest('**/mock/**'), send('calculate')]);
    expect(new URL(request.url()).pathname).toBe('/mock/caso14');
    expect(request.headers()).not.toHaveProperty('x-mock-case');
    expect(words).toContain('loyalty card was accepted');
  });

  test('The portal copies the request as curl, with the address of the mock', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: portal.url });
    await page.click('#calculate-copy');
    await page.getByText('Copied.').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain(`curl -i -X POST '${mock.url}/retail/touchpoint/basket/calculate'`);
    expect(copied).toContain("-H 'Authorization: Bearer demo-store-key'");
    expect(copied).toContain("-H 'X-Mock-Case: 02'");
    expect(copied).toContain('"basketId": "basket-1001"');
    expect(await page.locator('#calculate-curl').textContent()).toBe(copied);
  });

  test('The portal runs the suggested sequence and shows each step', async () => {
    await page.click('#run-sequence');
    await page.getByText('All 6 steps were answered as expected.').waitFor();
    const steps = page.locator('#sequence-steps > li');
    const cases = await steps.evaluateAll((all) => all.map((step) => step.getAttribute('data-case')));
    expect(cases).toEqual(['02', '03', '04', '14', '10', '10r']);
    const totals = await steps.locator('> details > summary').allTextContents();
    expect(totals.map((summary) => summary.match(/[\d.]+$/)?.[0])).toEqual(['1.49', '3.47', '11.37', '10.37', '10.37', '10.37']);
    await steps.nth(5).locator('> details > summary').click();
    expect(await steps.nth(5).locator('pre').textContent()).toContain('"repeated": true');
  });

  plainTest('The portal reports when the mock or its own server is unreachable', async () => {
    const other = await aMock();
    const facing = await aPortal({ mockUrl: other.url });
    await using _scene = await open(facing.url);
    await other.close();
    expect(await send('calculate')).toMatch(/502.*cannot reach the mock/);
    await page.click('#run-sequence');
    await page.getByText('Stopped at step 1 of 6').waitFor();
    await facing.close();
    expect(await send('calculate')).toContain('The portal does not answer');
  });

  test.each([320, 768, 1280])('The portal with answers needs no horizontal scrolling in a window %i wide', async (_scene, width) => {
    await page.setViewportSize({ width, height: 700 });
    await caseButton('16b').click();
    await send('calculate');
    await send('finish');
    await openAllDetails();
    await page.click('#run-sequence');
    await page.getByText('All 6 steps').waitFor();
    const widest = await page.evaluate('Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)');
    expect(widest).toBeLessThanOrEqual(width);
    const right = await page.locator('main *, aside *').evaluateAll((all) => all.map((node) => node.getBoundingClientRect().right));
    expect(Math.max(...right)).toBeLessThanOrEqual(width + 0.5);
  });

  test('The portal has no accessibility finding in any look, before and after answers', async () => {
    await expectSoundInEveryLook(page);
    await caseButton('17').click();
    await send('calculate');
    await caseButton('10c').click();
    await send('finish');
    await openAllDetails();
    await page.click('#run-sequence');
    await page.getByText('All 6 steps').waitFor();
    await expectSoundInEveryLook(page);
  });
});
