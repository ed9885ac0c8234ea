import { useSignal } from '@preact/signals';
import { envText, masked, type Setting } from '../data/connection.ts';
import { CopyButton } from './parts.tsx';

/** Settings of a client, each with a button that copies it. Secrets are masked until they are asked for. */
export function SettingsList({ settings }: { settings: readonly Setting[] }) {
  const shown = useSignal(false);
  return (
    <>
      <dl class="settings">
        {settings.map(({ label, variable, value, secret }) => (
          <div key={variable}>
            <dt>{label}</dt>
            <dd>
              <code class="brk">{secret && !shown.value ? masked(value) : value}</code>
              <CopyButton text={() => value} what={label}>
                Copy<span class="unseen">: {label}</span>
              </CopyButton>
            </dd>
          </div>
        ))}
      </dl>
      {settings.some(({ secret }) => secret) && (
        <p>
          <button
            type="button"
            class="quiet flush"
            aria-pressed={shown.value ? 'true' : 'false'}
            onClick={() => (shown.value = !shown.value)}
          >
            {shown.value ? 'Hide secrets' : 'Show secrets'}
          </button>
        </p>
      )}
    </>
  );
}

export const CopyEnv = ({ settings }: { settings: readonly Setting[] }) => (
  <CopyButton text={() => envText(settings)} what="The .env file">
    Copy as .env
  </CopyButton>
);
