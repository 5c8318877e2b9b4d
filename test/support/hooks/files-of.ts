/** The test files that a root hook is about. */
export const filesOf = ({ test }: Mocha.Context): readonly string[] => {
  const { suites = [], tests = [] } = test?.parent ?? {}
  return [...new Set([...suites, ...tests].flatMap(({ file }) => file ?? []))]
}
