import { expect } from 'chai'
import { distancesTo, importersOf } from './nearest-tests.ts'

const distances = (file: string, imports: readonly (readonly [from: string, target: string])[]) =>
  Object.fromEntries(distancesTo(file, importersOf(imports.map(([from, target]) => ({ from, target, line: 1 })))))

describe('the tests nearest to a file', () => {
  it('are those that reach it, by the imports between files of the program', () => {
    const imports = [
      ['processors/stages.ts', 'processors/rule.ts'],
      ['test/processors/rule.test.ts', 'processors/rule.ts'],
      ['test/replay/stage.test.ts', 'processors/stages.ts'],
      ['test/processors/other.test.ts', 'processors/other.ts'],
    ] as const
    expect(distances('processors/rule.ts', imports)).to.deep.equal({
      'test/processors/rule.test.ts': 1,
      'test/replay/stage.test.ts': 2,
    })
  })

  it('are as near through files of the tests as without them', () => {
    const imports = [
      ['test/support/given.ts', 'processors/rule.ts'],
      ['test/processors/rule.test.ts', 'test/support/given.ts'],
    ] as const
    expect(distances('processors/rule.ts', imports)).to.deep.equal({ 'test/processors/rule.test.ts': 1 })
  })

  it('are not those of another program, of the repository itself, or with processes of their own', () => {
    const tests = [
      'test/api/a.test.ts',
      'test/imports.test.ts',
      'test/processors/a.int.test.ts',
      'test/proofs/a.test.ts',
    ]
    const imports = tests.map((test) => [test, 'processors/rule.ts'] as const)
    expect(distances('processors/rule.ts', imports)).to.deep.equal({})
  })
})
