/**
 * The version of the parser, which every fact of this folder contains. Increase it when the same post gives another mention or card than
 * before.
 */
export const parserVersion = 2
