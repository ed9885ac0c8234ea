import { config, connectionSettings, credentialsOf, here } from '../data/data.ts';
import { Card, CopyEnv, counted, SettingsList } from '../kit/kit.ts';

/** The address and the rehearsal are shown; credentials and the webhook fold. */
const FIRST = 2;

/** The settings that connect a client to this rehearsal. */
export function ConnectCard() {
  const rehearsal = here();
  const { demo } = config();
  const credentials = credentialsOf(rehearsal);
  const settings = connectionSettings({ gateway: location.origin, rehearsal, credentials, demo });
  return (
    <Card title="Connect your client" aside={<CopyEnv settings={settings} />}>
      <div class="in stack">
        <SettingsList settings={settings.slice(0, FIRST)} />
        <details class="stack-tight">
          <summary>{counted(settings.length - FIRST, 'more setting')}</summary>
          <SettingsList settings={settings.slice(FIRST)} />
        </details>
        <p class="muted small">
          {credentials
            ? 'A client with these credentials is in this rehearsal, with or without the header.'
            : `Send the header X-Rehearsal with ${demo?.integration === undefined ? 'an integration token of the estate' : 'the bearer'}. Only the tab that created the rehearsal has the rehearsal’s own credentials.`}
        </p>
      </div>
    </Card>
  );
}
