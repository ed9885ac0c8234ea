import type { ComponentChildren } from 'preact';
import { Badge } from '../kit/badge.tsx';
import { Pair } from '../kit/parts.tsx';
import { Scroll } from '../kit/scroll.tsx';
import type { Answer, Sent } from './exchange.ts';
import { layOut, markRejected } from './json-text.ts';
import { type Basket, type BasketLine, basketOf, explained } from './plain-words.ts';
import css from './touchpoint.module.css';

const money = (amount: number | undefined): string => Number(amount).toFixed(2);

/** The sentence at the top of a response: the status and what it means. */
export function Verdict({ sent }: { sent: Sent }) {
  const { answer, durationMs } = sent;
  const { tone, text } = explained(sent);
  return (
    <p class={`${css.verdict} ${tone}`}>
      {answer && <strong class="mono">{`${answer.status} ${answer.reason}`.trim()}</strong>}
      <span class={css.words}>{text}</span>
      <span>{durationMs} ms</span>
    </p>
  );
}

/** The status of an exchange alone, for lists. */
export const OutcomeBadge = ({ sent }: { sent: Sent }) => (
  <Badge tone={explained(sent).tone}>{sent.answer ? sent.answer.status : sent.failure}</Badge>
);

/** The total of an answer, or undefined if it has none. */
export function totalOf(answer: Answer): string | undefined {
  const total = basketOf(answer)?.total;
  return total === undefined ? undefined : money(total);
}

/** The parts of a response below its sentence: lines, totals, headers, body. */
export function AnswerParts({ answer: { headers, text }, name }: { answer: Answer; name: string }) {
  const basket = basketOf({ text });
  return (
    <>
      {basket && (Array.isArray(basket.lines) || basket.total !== undefined) && <BasketParts basket={basket} />}
      <details open>
        <summary>Headers ({headers.length})</summary>
        <dl class="pairs mono">
          {headers.map(([header, value]) => (
            <Pair key={header} term={header}>
              {value}
            </Pair>
          ))}
        </dl>
      </details>
      <details open>
        <summary>Body</summary>
        <Code label={`Response body of ${name}`}>
          {markRejected(layOut(text)).map(({ text: block, rejected }, index) =>
            rejected ? (
              <mark key={index} title="Rejected line">
                {`${block}\n`}
              </mark>
            ) : (
              `${block}\n`
            ),
          )}
        </Code>
      </details>
    </>
  );
}

/** Scrolling text that the keyboard reaches. */
export const Code = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <Scroll as="pre" class={css.code} label={label}>
    {children}
  </Scroll>
);

const BasketParts = ({ basket: { lines = [], total, totalSaving = 0 } }: { basket: Basket }) => (
  <>
    {lines.length > 0 && (
      <ul class={css.lines} aria-label="Lines">
        {lines.map((line) => (
          <Line key={line.ref} line={line} />
        ))}
      </ul>
    )}
    <p class={`line ${css.totals}`}>
      <span>
        Total <strong>{money(total)}</strong>
      </span>
      <span>
        Saving <strong>{money(totalSaving)}</strong>
      </span>
    </p>
  </>
);

function Line({ line }: { line: BasketLine }) {
  const unit = line.unitOfMeasure === 'KG' ? `${money(line.unitPrice)} per kg` : `${line.qty} × ${money(line.unitPrice)}`;
  const weight = line.weight === null ? '' : `, ${Number(line.weight).toFixed(3)} kg`;
  return (
    <li data-status={line.status}>
      <strong class="mono">{line.ref}</strong>
      <span class="brk">{line.description || 'Unknown item'}</span>
      <strong class={css.amount}>{money(line.amount)}</strong>
      <span class="mono muted">{line.barcode}</span>
      <span class={css.amount}>
        {unit}
        {weight}
      </span>
      {line.status === 'REJECTED' && (
        <span class={css.rejection}>
          <b>✕ Rejected: {line.rejection?.code}</b> – {line.rejection?.message}
        </span>
      )}
    </li>
  );
}
