import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { here } from '../data/data.ts';
import { Card, CopyButton } from '../kit/kit.ts';

interface FreshSecret {
  readonly rehearsal: string;
  readonly name: string;
  readonly secret: string;
}

/** The gateway answers a secret once. It stays here until its webhook is left. */
const fresh = signal<FreshSecret | undefined>(undefined);

export const keepSecret = (shown: FreshSecret): void => {
  fresh.value = shown;
};

/** A new secret, to copy. */
export function FreshSecretCard({ name }: { name: string }) {
  const shown = fresh.value;
  const place = useRef<HTMLDivElement>(null);
  const isShown = shown !== undefined && shown.rehearsal === here() && shown.name === name;
  const forget = (): void => {
    fresh.value = undefined;
  };
  useEffect(() => forget, []);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [shown]);
  if (!isShown) return null;
  return (
    <div ref={place}>
      <Card
        title={`Secret of ${name}`}
        aside={
          <button type="button" class="quiet" onClick={forget}>
            Hide it
          </button>
        }
      >
        <div class="in stack-tight">
          <p class="line">
            <code class="brk">{shown.secret}</code>
            <CopyButton text={() => shown.secret} what="The secret">
              Copy the secret
            </CopyButton>
          </p>
          <p class="muted">Your receiver verifies signatures with it. It is shown only now: copy it before you leave this page.</p>
        </div>
      </Card>
    </div>
  );
}
