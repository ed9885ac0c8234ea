import { expect, test } from '@jest/globals';
import { connectionSettings, envText, masked } from '../../../ui/data/connection.ts';

const GATEWAY = 'http://127.0.0.1:8080';
const credentials = {
  bearer: 'reh_a_secret',
  apiKey: 'reh_a_key',
  webhookSecret: 'whsec_abc=',
  webhookUrl: '/webhooks/carrier?rehearsal=a',
};

test('The settings of a client have the credentials of the rehearsal if the tab has them', () => {
  const settings = connectionSettings({ gateway: GATEWAY, rehearsal: 'a', credentials, demo: { integration: 'demo' } });
  expect(envText(settings).split('\n')).toEqual([
    `ESTATE_URL=${GATEWAY}`,
    'ESTATE_REHEARSAL=a',
    'ESTATE_BEARER_TOKEN=reh_a_secret',
    'ESTATE_API_KEY=reh_a_key',
    `ESTATE_WEBHOOK_URL=${GATEWAY}/webhooks/carrier?rehearsal=a`,
    'ESTATE_WEBHOOK_SECRET=whsec_abc=',
    '',
  ]);
  const secrets = settings.flatMap(({ secret, variable }) => (secret ? variable : []));
  expect(secrets).toEqual(['ESTATE_BEARER_TOKEN', 'ESTATE_API_KEY', 'ESTATE_WEBHOOK_SECRET']);
});

test('The settings of a client have the demo credentials if they are valid, otherwise no bearer', () => {
  const of = (demo: object | undefined) =>
    connectionSettings({ gateway: GATEWAY, rehearsal: 'a', credentials: undefined, demo }).map(({ variable }) => variable);
  const always = ['ESTATE_URL', 'ESTATE_REHEARSAL', 'ESTATE_WEBHOOK_URL'];
  expect(of(undefined)).toEqual(always);
  expect(of({ integration: 'i', apiKey: 'k' })).toEqual(always.toSpliced(2, 0, 'ESTATE_BEARER_TOKEN', 'ESTATE_API_KEY'));
});

test('The settings of a client are quoted in .env when a shell would change them', () => {
  const line = (value: string) => envText([{ label: 'x', variable: 'ESTATE_URL', value }]);
  expect(line('a b')).toBe("ESTATE_URL='a b'\n");
  expect(line("a'$(b)")).toBe(`ESTATE_URL='a'"'"'$(b)'\n`);
  expect(line('a&b')).toBe("ESTATE_URL='a&b'\n");
});

test('A masked secret shows at most its first quarter', () => {
  expect(masked('reh_galway_0123456789abcdef')).toBe('reh_ga••••••••');
  expect(masked('abc')).toBe('••••••••');
});
