import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { config, refusedBecause, signIn } from '../data/data.ts';
import { Heading } from '../kit/kit.ts';

/** One field for the bearer of the control plane. It stays in this tab. */
export function SignIn() {
  const [typed, setTyped] = useState('');
  const refused = refusedBecause.value;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (refused !== undefined) field.current?.focus();
  }, [refused]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (typed.trim() === '') return;
    signIn(typed.trim());
    setTyped('');
  };
  return h(
    'main',
    { id: 'main', class: 'sign-in' },
    h(
      'form',
      { class: 'card in', onSubmit: submit },
      h(Heading, { title: 'Sign in' }, 'Estate console'),
      h('p', {}, 'The console uses the control plane. Enter a bearer token with the scope ', h('code', {}, 'control'), '.'),
      refused !== undefined && h('p', { class: 'problem', role: 'alert', id: 'refused' }, `The credential was refused: ${refused}`),
      h('label', { for: 'bearer' }, 'Bearer token'),
      h('input', {
        ref: field,
        id: 'bearer',
        type: 'password',
        autocomplete: 'off',
        spellcheck: false,
        required: true,
        value: typed,
        'aria-describedby': refused === undefined ? undefined : 'refused',
        onInput: ({ currentTarget }) => setTyped(currentTarget.value),
      }),
      h('button', { type: 'submit', class: 'primary' }, 'Sign in'),
      h('p', { class: 'muted' }, 'It is kept in this tab only, and sent to this gateway only.'),
      config().production && h('p', {}, h('span', { class: 'badge warn' }, 'production'), ' The public demo token is not offered here.'),
    ),
  );
}
