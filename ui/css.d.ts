/** The names of the classes of a sheet. They are unique in a bundle: `row` of `fault-list.module.css` becomes `fault-list_row`. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

/** The bundler writes all sheets that a page imports to one file. */
declare module '*.css';
