import { expect } from 'chai'
import { graphOf, isUnitTest, nearestTests } from './nearest-tests.ts'

const rule = 'processors/bursts/rule.ts'

function nearest(...imports: readonly (readonly [from: string, target: string])[]): readonly string[] {
  const tests = [...new Set(imports.map(([from]) => from).filter(isUnitTest))].toSorted()
  return nearestTests(rule, tests, graphOf(imports.map(([from, target]) => ({ from, target, line: 1 }))))
}

describe('the unit tests nearest to a file', () => {
  it('begin with its own, and go on with those that reach it through the fewest imports', () => {
    const order = nearest(
      ['processors/stages.ts', rule],
      ['test/support/given.ts', 'processors/stages.ts'],
      ['test/a/three.test.ts', 'test/support/given.ts'],
      ['test/a/two.test.ts', 'processors/stages.ts'],
      ['test/a/one.test.ts', rule],
      ['test/processors/bursts/rule.test.ts', 'test/support/given.ts'],
    )
    expect(order).to.deep.equal([
      'test/processors/bursts/rule.test.ts',
      'test/a/one.test.ts',
      'test/a/two.test.ts',
      'test/a/three.test.ts',
    ])
  })

  it('prefer a test that loads fewer files', () => {
    const many = Array.from({ length: 150 }, (_, at) => ['test/a/service.test.ts', `api/a${at}.ts`] as const)
    const order = nearest(
      ...many,
      ['test/a/service.test.ts', rule],
      ['test/support/given.ts', rule],
      ['test/z/two.test.ts', 'test/support/given.ts'],
    )
    expect(order).to.deep.equal(['test/z/two.test.ts', 'test/a/service.test.ts'])
  })

  it('end with those that do not reach it by imports: they may start a program that does', () => {
    const order = nearest(['test/api/a.test.ts', 'api/a.ts'], ['test/replay/z.test.ts', rule])
    expect(order).to.deep.equal(['test/replay/z.test.ts', 'test/api/a.test.ts'])
  })

  it('are not those of the repository itself, and not integration tests', () => {
    const paths = ['test/tidy.test.ts', 'test/mutation/draw.test.ts', 'test/api/a.int.test.ts', 'test/api/a.test.ts']
    expect(paths.filter(isUnitTest)).to.deep.equal(['test/api/a.test.ts'])
  })
})
