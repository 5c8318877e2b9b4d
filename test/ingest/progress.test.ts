import { expect } from 'chai'
import { progressOf } from '../../ingest/progress.ts'

describe('the progress of ingest', () => {
  const nowMs = Date.UTC(2026, 0, 31, 12, 0, 7, 500)
  const progress = { phase: 'live', toBlock: 41, headBlock: 43, toAtMs: nowMs - 2_500 } as const

  it('names the blocks of a chain', () => {
    expect(progressOf('chain-a', progress, { nowMs, isByTime: false })).to.deep.equal({
      program: 'ingest',
      stage: 'chain-a',
      state: 'live',
      hasCaughtUp: true,
      text: '2 s behind, block 41 of 43',
    })
  })

  it('names the time up to which chats were read, because their block numbers mean nothing to people', () => {
    expect(progressOf('chats', progress, { nowMs, isByTime: true }).text).to.equal(
      '2 s behind, read until 2026-01-31 12:00:05 UTC',
    )
  })

  it('counts as a backfill while the blocks are old', () => {
    const old = { ...progress, phase: 'backfill', toAtMs: nowMs - 7_260_000 } as const
    const described = progressOf('chain-b', old, { nowMs, isByTime: false })
    expect(described).to.deep.include({ state: 'backfill', hasCaughtUp: false })
    expect(described.text).to.match(/^2 h 1 min behind, /)
  })
})
