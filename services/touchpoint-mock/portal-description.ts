/** The data of the portal's page. */
export interface PortalDescription {
  /** Address of the mock. */
  readonly mock: string;
  /** Address of the console, when the estate runs in one process. */
  readonly console: string | undefined;
  readonly aliases: readonly PortalAlias[];
  readonly cases: readonly PortalCase[];
  readonly invalidSelector: string;
  readonly authorization: readonly PortalCaller[];
  /** Names of cases. */
  readonly sequence: readonly string[];
}

export interface PortalAlias {
  readonly name: 'calculate' | 'finish';
  readonly path: string;
  /** The case that the form begins with. */
  readonly prefilled: string;
}

export interface PortalCase {
  readonly case: string;
  readonly alias: PortalAlias['name'];
  readonly title: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The page inserts the lane of the caller, which the mock echoes, for `{lane}`. */
  readonly answer: string;
}

export interface PortalCaller {
  readonly name: string;
  readonly title: string;
  readonly authorization: string | null;
  readonly touchpointId: string;
  readonly authorized: boolean;
}
