import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Badge, StatusBadge } from '../kit/badge.tsx';
import { savePng, saveSvg } from './map-export.ts';
import css from './play.module.css';
import { PlayMap, toneOf, wayOf } from './play-map.tsx';
import { clockOf, fileName, missingIn, paceOf, type Step, type Story } from './story.ts';

type KeyMap = Readonly<Record<string, () => void>>;

interface PlayerProps {
  readonly story: Story;
  /** From 1. */
  readonly at: number;
  readonly onStep: (step: number) => void;
  /** Binds keys while the player is shown. */
  readonly useKeys: (keys: KeyMap) => void;
  /** Leaves the story; absent on a separate page. */
  readonly onLeave?: () => void;
  /** The address of a step's trace. */
  readonly traceLink?: (step: Step) => string | undefined;
  readonly title: ComponentChildren;
  readonly more?: ComponentChildren;
}

/** Characters of a sentence that takes two lines. */
const LONG = 100;

const narrowWindow = matchMedia('(max-width: 60rem)');

/** Plays a story on the map: one exchange at a time, with its sentence and its request and answer. */
export function Player({ story, at, onStep, useKeys, onLeave, traceLink, title, more }: PlayerProps) {
  const { steps } = story;
  const frame = useRef<HTMLElement>(null);
  const picture = useRef<SVGSVGElement>(null);
  const isNarrow = useNarrow();
  const [isPlaying, setPlaying] = useState(false);
  const [isShort, setShort] = useState(true);
  const [trouble, setTrouble] = useState('');
  const step = steps[at - 1];
  const next = nextStep(steps, at, 1, isShort);
  const before = nextStep(steps, at, -1, isShort);
  const go = (to: number | undefined): void => {
    setPlaying(false);
    if (to !== undefined) onStep(to);
  };
  useEffect(() => {
    if (!isPlaying || !step) return;
    if (next === undefined) return setPlaying(false);
    const turn = setTimeout(() => onStep(next), paceOf(step));
    return () => clearTimeout(turn);
  }, [isPlaying, at, next]);
  const toggle = (): void => {
    if (!isPlaying && next === undefined) onStep(1);
    setPlaying(!isPlaying);
  };
  const fullScreen = (): void => {
    const change = document.fullscreenElement ? document.exitFullscreen() : frame.current?.requestFullscreen();
    change?.catch(() => setTrouble('This browser refuses full screen. Its own key, often F11, may work.'));
  };
  const leave = (): void => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else if (onLeave) onLeave();
    else setPlaying(false);
  };
  useKeys({
    ArrowRight: () => go(next),
    ArrowLeft: () => go(before),
    Home: () => go(1),
    End: () => go(steps.length),
    // A focused button acts on this key itself.
    ' ': () => {
      const { activeElement } = document;
      if (activeElement instanceof HTMLButtonElement || activeElement instanceof HTMLAnchorElement) activeElement.click();
      else toggle();
    },
    f: fullScreen,
    Escape: leave,
  });
  const save = (how: (map: SVGSVGElement, name: string) => void | Promise<void>): void => {
    const { current } = picture;
    if (!current) return;
    void (async () => how(current, fileName(story, at)))().then(
      () => setTrouble(''),
      (error: unknown) => setTrouble(error instanceof Error ? error.message : String(error)),
    );
  };
  if (!step) return null;
  const [day, time] = clockOf(step);
  const missing = missingIn(story);
  return (
    <section class={css.player} ref={frame} aria-label="Story">
      <header class={css.head}>
        <span class={css.clock} data-clock="">
          {time}
        </span>
        <span class="muted">{day}</span>
        {title}
        <span class={css.push}>
          <button type="button" onClick={fullScreen}>
            Full screen <kbd>f</kbd>
          </button>
          {onLeave && (
            <button type="button" onClick={onLeave}>
              Leave <kbd>Esc</kbd>
            </button>
          )}
        </span>
      </header>
      <div class={css.stage}>
        <div class={css.picture}>
          <PlayMap steps={steps} at={at} isNarrow={isNarrow} picture={picture} />
        </div>
        <Exchange step={step} link={traceLink?.(step)}>
          <span class={`${css.buttons} ${css.files}`}>
            <button type="button" onClick={() => save(saveSvg)}>
              Map as SVG
            </button>
            <button type="button" onClick={() => save(savePng)}>
              Map as PNG
            </button>
            {more}
          </span>
        </Exchange>
      </div>
      <div class={css.say} aria-live="polite">
        <p class={`${css.sentence} ${step.sentence.length > LONG ? css.long : ''}`} data-sentence="">
          {step.sentence}
        </p>
        <p class={`${css.changes} ${css[toneOf(step)]}`}>{step.changes.join(' · ')}</p>
      </div>
      <div class={css.controls}>
        <span class={css.buttons}>
          <button type="button" aria-disabled={before === undefined} onClick={() => go(before)}>
            Back <kbd>←</kbd>
          </button>
          <button type="button" class={`primary ${css.play}`} onClick={toggle}>
            {isPlaying ? 'Pause' : 'Play'} <kbd>Space</kbd>
          </button>
          <button type="button" aria-disabled={next === undefined} onClick={() => go(next)}>
            Next <kbd>→</kbd>
          </button>
        </span>
        <span class={css.track}>
          <svg class={css.strip} viewBox={`0 0 ${steps.length} 1`} preserveAspectRatio="none" aria-hidden="true">
            <rect class={css.past} width={at} height={1} />
            {steps.map(
              (one, place) => one.outcome !== 'ok' && <rect key={one.id} class={css[toneOf(one)]} x={place} width={1} height={1} />,
            )}
          </svg>
          <input
            type="range"
            aria-label="Step"
            aria-valuetext={`Step ${at} of ${steps.length}`}
            min={1}
            max={steps.length}
            value={at}
            onInput={({ currentTarget }) => go(Number(currentTarget.value))}
            onKeyDown={(event) => {
              if (event.key !== ' ' && event.key !== 'f') return;
              event.preventDefault();
              if (event.key === 'f') fullScreen();
              else toggle();
            }}
          />
        </span>
        <span class={css.count} data-step={at}>
          {at.toLocaleString('en')} of {steps.length.toLocaleString('en')}
        </span>
        <span class={css.buttons}>
          <button
            type="button"
            aria-pressed={isShort ? 'true' : 'false'}
            title="Reads, and events that their consumer ignored, are skipped"
            onClick={() => setShort(!isShort)}
          >
            Only changes
          </button>
        </span>
      </div>
      {(missing.length > 0 || trouble !== '') && (
        <p class={`muted small ${css.missing}`} role="status">
          {[...missing, trouble].join(' ').trim()}
        </p>
      )}
    </section>
  );
}

/** The next step in a direction. The short story skips what changed nothing. */
function nextStep(steps: readonly Step[], at: number, by: 1 | -1, isShort: boolean): number | undefined {
  for (let to = at + by; to >= 1 && to <= steps.length; to += by) if (!isShort || !steps[to - 1]?.isQuiet) return to;
  return undefined;
}

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrowWindow.matches);
  useEffect(() => {
    const look = (): void => setNarrow(narrowWindow.matches);
    narrowWindow.addEventListener('change', look);
    return () => narrowWindow.removeEventListener('change', look);
  }, []);
  return isNarrow;
}

/** The exchange in short: its call, its request and its answer. */
function Exchange({ step, link, children }: { step: Step; link: string | undefined; children: ComponentChildren }) {
  const { kind, title, address, status, faults, request, response, isReal } = step;
  return (
    <section class={css.exchange} aria-label="Exchange">
      <div class={css.detail}>
        <h2>{title}</h2>
        <p class={css.facts}>
          {status !== undefined && (status === 0 ? <Badge tone="bad">no answer</Badge> : <StatusBadge status={status} />)}
          {kind !== 'clock' && <span class="muted">{wayOf(step)}</span>}
          {isReal && <Badge>your system</Badge>}
          {faults?.map((name) => (
            <Badge key={name} tone="warn">
              ⚡ <span class="clip">{name}</span>
            </Badge>
          ))}
        </p>
        {address !== undefined && (
          <p>
            <code class="brk">{address}</code>
          </p>
        )}
        {request !== undefined && <Body title={kind === 'event' ? 'Event' : 'Request'} text={request} />}
        {response !== undefined && <Body title="Answer" text={response} />}
        {link !== undefined && (
          <p>
            <a href={link}>{step.what === 'event' ? 'Open the event' : step.what === 'move' ? 'Open the move' : 'Open its trace'}</a>
          </p>
        )}
      </div>
      {children}
    </section>
  );
}

const Body = ({ title, text }: { title: string; text: string }) => (
  <div>
    <h3>{title}</h3>
    <code class={css.body}>{text}</code>
  </div>
);
