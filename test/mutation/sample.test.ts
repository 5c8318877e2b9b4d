import { expect } from 'chai'
import { sample } from './sample.ts'

const mutants = (file: string, count: number) => Array.from({ length: count }, (_, nth) => ({ file, nth }))

describe('a sample of mutants', () => {
  it('takes the share of each file, evenly spaced', () => {
    const taken = sample([...mutants('a.ts', 200), ...mutants('b.ts', 100)], 0.1, 1)
    expect(taken.filter(({ file }) => file === 'a.ts')).to.have.length(20)
    const [first = 0, ...rest] = taken.filter(({ file }) => file === 'b.ts').map(({ nth }) => nth)
    expect(first).to.be.within(0, 9)
    expect(rest).to.deep.equal(Array.from({ length: 9 }, (_, at) => first + 10 * (at + 1)))
  })

  it('is the same beside other files, and another one with another seed', () => {
    const alone = sample(mutants('a.ts', 200), 0.05, 1)
    expect(
      sample([...mutants('b.ts', 33), ...mutants('a.ts', 200)], 0.05, 1).filter(({ file }) => file === 'a.ts'),
    ).to.deep.equal(alone)
    expect(sample(mutants('a.ts', 200), 0.05, 2)).to.not.deep.equal(alone)
  })

  it('is all of them with a share of one', () => {
    expect(sample(mutants('a.ts', 7), 1, 3)).to.have.length(7)
  })
})
