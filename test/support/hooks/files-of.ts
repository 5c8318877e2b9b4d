/** Returns the test files for which a root hook runs. */
export const filesOf = ({ test }: Mocha.Context): readonly string[] => {
  const { suites = [], tests = [] } = test?.parent ?? {}
  return [...new Set([...suites, ...tests].flatMap(({ file }) => file ?? []))]
}
