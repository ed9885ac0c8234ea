interface Problem {
  readonly detail?: unknown;
  readonly errors?: readonly { readonly pointer?: unknown; readonly detail?: unknown }[];
}

/** Why an answer refuses: its first mistake with the place, or its detail. Undefined: it does not say. */
export function reasonOf(response: unknown): string | undefined {
  const { detail, errors }: Problem = typeof response === 'object' && response !== null ? response : {};
  const [first, ...more] = Array.isArray(errors) ? errors : [];
  if (typeof first?.detail === 'string' && typeof first.pointer === 'string') {
    const others = more.length > 0 ? ` (and ${more.length} more)` : '';
    return `${first.pointer || 'The body'}: ${first.detail}${others}`;
  }
  return typeof detail === 'string' && detail !== '' ? detail : undefined;
}
