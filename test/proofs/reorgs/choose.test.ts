import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { pickSeeds } from './choose.ts'
import { sabotages } from './sabotages.ts'

describe('the choice of seeds', () => {
  it('finds every mistake that any seed finds, with few seeds', () => {
    const all = [
      { name: 'found by nearly all', tried: 4, finders: [1, 2, 3, 4] },
      { name: 'found by two', tried: 9, finders: [3, 7] },
      { name: 'found by another two', tried: 9, finders: [7, 8] },
      { name: 'found by one', tried: 9, finders: [9] },
      { name: 'found by none', tried: 9, finders: [] },
    ]
    expect(pickSeeds(all)).to.deep.equal([3, 7, 9])
    expect(pickSeeds(all.slice(0, 3))).to.deep.equal([3, 7])
  })

  it('is made over mistakes that can be made in the code as it is', () => {
    for (const { name, file, text, instead } of [...sabotages.stage, ...sabotages.ingest]) {
      expect(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').split(text), name).to.have.length(2)
      expect(instead, name).not.to.equal(text)
    }
  })
})
