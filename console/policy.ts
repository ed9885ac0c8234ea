const policy = (...own: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...own,
  ].join('; ');

/** The console loads only files of the gateway, and has no inline script or style. */
export const CONSOLE_POLICY = policy("style-src 'self'", "img-src 'self'", "require-trusted-types-for 'script'");

/** Scalar writes inline styles and tries `eval`. */
export const REFERENCE_POLICY = policy("style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'");
