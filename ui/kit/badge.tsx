import type { ComponentChildren } from 'preact';
import { type Tone, toneOf } from './format.ts';

export const Badge = ({ tone, children }: { tone?: Tone; children?: ComponentChildren }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>
);

/** The faults that struck. */
export const FaultBadges = ({ faults }: { faults: readonly string[] }) => (
  <>
    {faults.map((fault) => (
      <Badge key={fault} tone="warn">
        ⚡ <span class="clip">{fault}</span>
      </Badge>
    ))}
  </>
);

/** An HTTP status: green, amber when refused, red when failed. */
export const StatusBadge = ({ status }: { status: number }) => <Badge tone={toneOf(status)}>{status}</Badge>;
