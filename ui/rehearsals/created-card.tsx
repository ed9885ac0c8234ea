import { connectionSettings, control, type Output, rehearsalLink, rememberCredentials } from '../data/data.ts';
import { Card, CopyEnv, SettingsList } from '../kit/kit.ts';

export type CreatedRehearsal = Output<'create-rehearsal'>;
type Creation = NonNullable<Parameters<typeof control<'create-rehearsal'>>[1]>['body'];

/** Creates a rehearsal, and keeps its credentials in this tab. */
export async function createRehearsal(body: Creation): Promise<CreatedRehearsal> {
  const created = await control('create-rehearsal', { body: { labels: { by: 'person' }, ...body } });
  rememberCredentials(created.name, created.credentials);
  return created;
}

/** The credentials, which no later answer shows. */
export function CreatedCard({ created: { name, credentials }, about = '' }: { created: CreatedRehearsal; about?: string | undefined }) {
  const settings = connectionSettings({ gateway: location.origin, rehearsal: name, credentials, demo: undefined });
  return (
    <Card title={`${name} is ready`} aside={<CopyEnv settings={settings} />}>
      <div class="in stack" role="status">
        <p>{about} These credentials are shown only now. This tab remembers them for “Connect your client”.</p>
        <SettingsList settings={settings} />
        <p>
          <a class="button primary" href={rehearsalLink(name)}>
            Open its overview
          </a>
        </p>
      </div>
    </Card>
  );
}
