/** Returns the text with examples of a command, which is printed after its help. */
export const exampleOf = (...lines: readonly string[]): string =>
  ['\nExamples:', ...lines.map((line) => `  ${line}`)].join('\n')
