/**
 * The version of the parser, which every fact of this folder contains. Increase the version when a post gives
 * another mention or card than before.
 */
export const parserVersion = 2
