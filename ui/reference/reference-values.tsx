import { Card, CopyButton, inWords } from '../kit/kit.ts';
import { magicValues } from './catalog.ts';

/** What of the initial world is made for rehearsing. */
export const MagicValues = () =>
  magicValues.map(({ title, rows }) => (
    <Card key={title} title={title}>
      <ul class="entries">
        {rows.map(({ values, also, use }) => (
          <li key={use}>
            <p class="line">
              {values.map((value) => (
                <CopyButton key={value} what={value} text={() => value}>
                  <code class="brk">{value}</code>
                </CopyButton>
              ))}
              {also}
            </p>
            <p class="muted">{inWords(use)}</p>
          </li>
        ))}
      </ul>
    </Card>
  ));
