import { expect } from 'chai'
import { importersOf, testsNear } from './nearest-tests.ts'

const near = (file: string, imports: readonly (readonly [from: string, target: string])[]) => [
  ...testsNear(file, importersOf(imports.map(([from, target]) => ({ from, target, line: 1 })))),
]

describe('the tests nearest to a file', () => {
  it('are those that reach it, through files of the program and of the tests', () => {
    const imports = [
      ['processors/stages.ts', 'processors/rule.ts'],
      ['test/processors/rule.test.ts', 'processors/rule.ts'],
      ['test/support/given.ts', 'processors/stages.ts'],
      ['test/replay/stage.test.ts', 'test/support/given.ts'],
      ['test/processors/other.test.ts', 'processors/other.ts'],
    ] as const
    expect(near('processors/rule.ts', imports)).to.have.members([
      'test/processors/rule.test.ts',
      'test/replay/stage.test.ts',
    ])
  })

  it('are not those of another program, of the repository itself, or with processes of their own', () => {
    const tests = [
      'test/api/a.test.ts',
      'test/imports.test.ts',
      'test/processors/a.int.test.ts',
      'test/proofs/a.test.ts',
    ]
    expect(
      near(
        'processors/rule.ts',
        tests.map((test) => [test, 'processors/rule.ts'] as const),
      ),
    ).to.deep.equal([])
  })
})
