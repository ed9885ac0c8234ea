import css from './command.module.css';
import { CopyButton } from './kit.ts';

/** A command for the user's terminal, with a button that copies it. */
export const Command = ({ text }: { text: string }) => (
  <div class={css['command']}>
    <pre>{text}</pre>
    <CopyButton text={() => text} what="The command">
      Copy the command
    </CopyButton>
  </div>
);
