import { expect } from 'chai'
import type { UnavailableOutcome } from '../../../api/payments/payment.ts'
import { notLive } from '../../../api/payments/unavailable.ts'
import { runPaymentUpkeep } from '../../../api/payments/upkeep.ts'

describe('the upkeep of payments', () => {
  it('looks at open payments at once, asks a facilitator that is down again soon, and one that is up now and then', async () => {
    const stopping = new AbortController()
    const done: string[] = []
    let down: UnavailableOutcome | null = notLive('facilitator_down', 5)
    const gate = {
      unavailable: () => down,
      reconcile: async () => void done.push('reconcile'),
      refresh: async () => {
        done.push('refresh')
        down = null
      },
    }
    const sleep = async (durationMs: number) => {
      done.push(`sleep ${durationMs}`)
      if (done.length > 4) stopping.abort()
    }
    await runPaymentUpkeep(gate, sleep, stopping.signal)
    expect(done).to.deep.equal(['reconcile', 'sleep 2000', 'refresh', 'reconcile', 'sleep 15000'])
  })
})
