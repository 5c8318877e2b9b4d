import { expect } from 'chai'
import { importersOf, isUnitTest, nearestTests } from './nearest-tests.ts'

const rule = 'processors/bursts/rule.ts'

function nearest(...imports: readonly (readonly [from: string, target: string])[]): readonly string[] {
  const tests = [...new Set(imports.map(([from]) => from).filter(isUnitTest))].toSorted()
  return nearestTests(rule, tests, importersOf(imports.map(([from, target]) => ({ from, target, line: 1 }))))
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

  it('prefer the nearest folder where the imports are as many', () => {
    const order = nearest(
      ['test/api/other.test.ts', rule],
      ['test/processors/bursts/other.test.ts', rule],
      ['test/processors/other.test.ts', rule],
    )
    expect(order).to.deep.equal([
      'test/processors/bursts/other.test.ts',
      'test/processors/other.test.ts',
      'test/api/other.test.ts',
    ])
  })

  it('have the tests of proofs behind the others that reach it', () => {
    const order = nearest(
      ['test/proofs/a.test.ts', rule],
      ['test/support/b.ts', rule],
      ['test/b.test.ts', 'test/support/b.ts'],
      ['test/api/b.test.ts', 'test/support/b.ts'],
      ['test/api/c.test.ts', 'api/c.ts'],
    )
    expect(order).to.deep.equal(['test/api/b.test.ts', 'test/proofs/a.test.ts', 'test/api/c.test.ts'])
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
