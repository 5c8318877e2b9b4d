import { expect } from 'chai'
import { chainA, chainB, chats } from '../../processors/stages.ts'

describe('the processors of a stage', () => {
  for (const { stage, processors } of [chainA, chainB, chats])
    it(`of ${stage.name} have names, each its own: versions of snapshots and errors name them`, () => {
      const names = processors.map(({ name }) => name)
      for (const name of names) expect(name).to.match(/^[a-z][a-z-]+$/)
      expect(new Set(names).size).to.equal(names.length)
    })
})
