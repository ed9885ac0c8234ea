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
  return (
    <main id="main" class="sign-in">
      <form class="card in stack" onSubmit={submit}>
        <Heading title="Sign in">Estate console</Heading>
        <p>
          The console uses the control plane. Enter a bearer token with the scope <code>control</code>.
        </p>
        {refused !== undefined && (
          <p class="problem" role="alert" id="refused">
            <span>The credential was refused: {refused}</span>
          </p>
        )}
        <label for="bearer">Bearer token</label>
        <input
          ref={field}
          id="bearer"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={typed}
          aria-describedby={refused === undefined ? undefined : 'refused'}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <button type="submit" class="primary">
          Sign in
        </button>
        <p class="muted">It is kept in this tab only, and sent to this gateway only.</p>
        {config().production && (
          <p>
            <span class="badge warn">production</span> The public demo token is not offered here.
          </p>
        )}
      </form>
    </main>
  );
}
