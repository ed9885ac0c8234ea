/** Why an application cannot act now, and a button that reads the page again. */
export const Away = ({ why, retry }: { why: string; retry: () => void }) => (
  <p class="problem line">
    {why}
    <button type="button" onClick={retry}>
      Try again
    </button>
  </p>
);
