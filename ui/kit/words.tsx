/** Text of the catalog for a page: backquotes mark code; of links, which lead to files, the words remain. */
export const inWords = (text: string) =>
  text
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? (
        <code key={index} class="brk">
          {part}
        </code>
      ) : (
        part
      ),
    );
