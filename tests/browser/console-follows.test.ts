import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { consoleTab, readProduct } from './console-tab.ts';

describeInBrowser('The console while others work', () => {
  const tab = consoleTab();
  const rows = () => tab.page.locator('nav[aria-label$="newest first"] a[data-row]');

  test('The list of traces shows every trace of a burst, and of the next burst', async () => {
    await using busy = await newRehearsal();
    const burst = () => Promise.all(Array.from({ length: 140 }, () => readProduct(busy)));
    await readProduct(busy);
    await tab.openLive(busy, '/activity');
    // An empty list begins with one page, and offers what is older.
    await tab.page.getByText('1 shown').waitFor();
    for (const shown of [141, 281]) {
      await burst();
      await rows()
        .nth(shown - 1)
        .waitFor();
      await tab.page.getByText(`${shown} shown`).waitFor();
    }
  });

  test('The list of traces offers the older traces of a burst that fills an empty list', async () => {
    await using busy = await tab.openNew('/activity');
    await tab.shows('Nothing has happened here yet.');
    await Promise.all(Array.from({ length: 90 }, () => readProduct(busy)));
    // The button goes away when the stream brings the rest.
    const older = tab.page.getByRole('button', { name: 'Show older' });
    await eventually('all rows', async () => {
      await older.evaluateAll((buttons: HTMLElement[]) => void buttons[0]?.click());
      return (await rows().count()) >= 90;
    });
  });

  test.each([
    ['activity', 'Create Basket'],
    ['events?ext=true', 'basket-created'],
  ])('An empty list at %s shows its first row even under the pointer', async (page, row) => {
    await using other = await tab.openNew(`/${page}`);
    await tab.page.getByRole('region', { name: /^(?:Traces|Events)$/ }).hover();
    await other.api('create-basket-api', { body: { channel: 'web' } });
    await tab.row(row).waitFor();
  });

  test('An unknown rehearsal appears once it is created and the user opens another page', async () => {
    const name = `late-${Date.now().toString(36)}`;
    const heading = tab.heading(`There is no rehearsal ${name}`);
    await tab.open(`r/${name}/activity`);
    await heading.waitFor();
    await tab.page.getByRole('button', { name: 'Look again' }).click();
    await heading.waitFor();
    await using anywhere = await newRehearsal();
    await anywhere.control('create-rehearsal', { body: { name } });
    await tab.page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Stock' }).click();
    await tab.heading('Stock').waitFor();
    await anywhere.control('delete-rehearsal', { params: { name } });
    await heading.waitFor();
  });

  test('The page of a trace reads the trace again after a refused read', async () => {
    await using other = await newRehearsal();
    await tab.open(`r/${other.name}/activity/late`);
    await tab.heading('No trace has this correlation id').waitFor();
    await tab.isLive();
    let refusals = 2;
    await tab.page.route('**/_control/traces*', (route) => {
      refusals -= 1;
      return refusals >= 0 ? route.fulfill({ status: 503, json: { code: 'dependency_unavailable' } }) : route.continue();
    });
    await readProduct(other, 'late');
    await tab.isTraceOfProduct();
    expect(refusals).toBeLessThan(0);
  });

  test.each([
    ['begins late', false],
    ['begins late, and whose first frame is cut off', true],
  ])('The page of a trace shows what happened before a stream that %s', async (_how, isCutOff) => {
    await using other = await newRehearsal();
    const { promise: held, resolve: begin } = Promise.withResolvers<void>();
    let streams = 0;
    await tab.page.route('**/_control/stream*', async (route) => {
      streams += 1;
      await held;
      if (!isCutOff || streams > 1) return route.continue();
      const body = `event: clock\nid: h${(await other.journal()).length}.e0\ndata: {"now":\n\n`;
      return route.fulfill({ status: 200, contentType: 'text/event-stream', body });
    });
    await tab.open(`r/${other.name}/activity/before`);
    await tab.heading('No trace has this correlation id').waitFor();
    await readProduct(other, 'before');
    await eventually('it is on record', async () => (await other.journal('before')).length > 0);
    begin();
    await tab.isTraceOfProduct();
  });

  /** Opens windows beside the one of the test, and closes them afterwards. */
  async function windowsOf(names: readonly string[]) {
    const context = tab.page.context();
    const windows = await Promise.all(names.map(() => context.newPage()));
    await Promise.all(windows.map((window, place) => window.goto(`${estate.gateway}/console/r/${names[place]}/activity`)));
    const close = async () => void (await Promise.all(windows.map((window) => window.close())));
    return { windows, [Symbol.asyncDispose]: close };
  }

  test('Nine windows of a rehearsal share one stream, and the next window resumes it when the first is closed', async () => {
    await using busy = await newRehearsal();
    const streams: string[] = [];
    tab.page.context().on('request', (request) => {
      if (request.url().endsWith('/_control/stream')) streams.push(request.headers()['last-event-id'] ?? 'from now');
    });
    await tab.openLive(busy, '/activity');
    await using beside = await windowsOf(Array.from({ length: 8 }, () => busy.name));
    const shown = async (count: number) => {
      for (const window of beside.windows) await window.getByText(`${count} shown`).waitFor();
    };
    await readProduct(busy);
    await shown(1);
    expect(streams).toEqual(['from now']);
    await tab.page.goto('about:blank');
    await readProduct(busy);
    await shown(2);
    await readProduct(busy);
    await shown(3);
    expect(streams).toEqual(['from now', expect.stringMatching(/^h/)]);
  });

  test('Seven windows of seven rehearsals load; one whose stream waits is read again, and is live when another is closed', async () => {
    await using busy = await newRehearsal();
    const others = await Promise.all(Array.from({ length: 6 }, () => newRehearsal()));
    await using beside = await windowsOf(others.map(({ name }) => name));
    for (const window of beside.windows) await window.getByText('Nothing has happened here yet.').waitFor();
    await tab.open(`r/${busy.name}/activity`);
    await tab.shows('Nothing has happened here yet.');
    await tab.page.getByRole('button', { name: 'Every 5 s' }).waitFor();
    await readProduct(busy);
    await tab.row('Get Product').waitFor();
    await Promise.all(beside.windows.slice(0, 4).map((window) => window.close()));
    await tab.isLive();
    for (const other of others) await other[Symbol.asyncDispose]();
  });
});
