import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createBatchSignal, onBatchWritten, type WrittenBatch } from '../../projections/batch-signal.ts'

const waitFor = async (isDone: () => boolean) => {
  while (!isDone()) await sleep(5)
}

describe('the signal of written batches', () => {
  it('reaches every listener of the process until it stops to listen', async () => {
    const signal = createBatchSignal()
    const heard: WrittenBatch[][] = [[], []]
    const stops = heard.map((batches) => onBatchWritten((batch) => void batches.push(batch)))
    const first = { stage: 'chain-a' }
    const second = { stage: 'chain-b' }
    signal.announce(first)
    await waitFor(() => heard.every((batches) => batches.length === 1))
    stops[0]?.()
    signal.announce(second)
    await waitFor(() => heard[1]?.length === 2)
    expect(heard).to.deep.equal([[first], [first, second]])
    stops[1]?.()
    signal.close()
  })
})
