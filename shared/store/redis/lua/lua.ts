/** Tags Lua source. A backslash is an ordinary character. */
export const lua = String.raw;
