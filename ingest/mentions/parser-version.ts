/** Increase this when the same post gives another mention or another card. Every fact of this folder carries it. */
export const parserVersion = 2
