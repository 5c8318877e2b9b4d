import { expect } from 'chai'
import { createRestatedRun } from '../../../../ingest/chain-b/repair/restated-run.ts'

const head = (number: number) => ({ number })

describe('how far back the log is restated', () => {
  it('is so many slots before the head', () => {
    const run = createRestatedRun(100)
    expect([run.allows(901, head(1000)), run.allows(900, head(1000))]).to.deep.equal([true, false])
  })

  it('counts from the first slot of the restatements that overlap', () => {
    const run = createRestatedRun(100)
    run.note(950, head(1000))
    run.note(990, head(1040))
    expect(run.allows(1040, head(1049)), 'reaches back to 950').to.equal(true)
    expect(run.allows(1040, head(1050)), 'too long').to.equal(false)
    expect(run.allows(1041, head(1050)), 'behind the last of them').to.equal(true)
    run.note(1041, head(1060))
    expect(run.allows(1050, head(1100)), 'a new run').to.equal(true)
  })
})
