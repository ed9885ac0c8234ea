import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { envText, masked, type Setting } from '../data/connection.ts';
import { CopyButton } from './parts.ts';

/** Settings of a client, each with a button that copies it. Secrets are masked until they are asked for. */
export function SettingsList({ settings }: { settings: readonly Setting[] }) {
  const shown = useSignal(false);
  return [
    h(
      'dl',
      { class: 'settings' },
      settings.map(({ label, variable, value, secret }) =>
        h(
          'div',
          { key: variable },
          h('dt', {}, label),
          h(
            'dd',
            {},
            h('code', { class: 'brk' }, secret && !shown.value ? masked(value) : value),
            h(CopyButton, { text: () => value, what: label }, 'Copy', h('span', { class: 'unseen' }, `: ${label}`)),
          ),
        ),
      ),
    ),
    settings.some(({ secret }) => secret) &&
      h(
        'p',
        {},
        h(
          'button',
          {
            type: 'button',
            class: 'quiet flush',
            'aria-pressed': shown.value ? 'true' : 'false',
            onClick: () => (shown.value = !shown.value),
          },
          shown.value ? 'Hide secrets' : 'Show secrets',
        ),
      ),
  ];
}

export const CopyEnv = ({ settings }: { settings: readonly Setting[] }) =>
  h(CopyButton, { text: () => envText(settings), what: 'The .env file' }, 'Copy as .env');
