import { expect } from 'chai'
import { createSubscription } from '../../../../ingest/chain-b/follow/subscription.ts'
import { createFakeChain } from '../../../support/chain-b/fake-helius/chain.ts'
import { createFaults } from '../../../support/chain-b/fake-helius/faults.ts'
import { startFakeHelius } from '../../../support/chain-b/fake-helius/server.ts'

/** Returns the address of a node that was stopped, so nothing answers there. */
async function urlOfNobody(): Promise<string> {
  const faults = createFaults(1)
  faults.calm()
  const node = await startFakeHelius({ chain: await createFakeChain(1), faults, isHelius: true })
  await node.stop()
  return node.url.replace(/^http/, 'ws')
}

/**
 * Subscribes to a node that does not answer, and stops at wait number `waitCount`. Returns all waits in
 * milliseconds and the logged warnings.
 */
async function subscribeFor(waitCount: number) {
  const stop = new AbortController()
  const waitsMs: number[] = []
  const warnings: object[] = []
  const delay = async (ms: number) => {
    waitsMs.push(ms)
    if (waitsMs.length === waitCount) stop.abort()
  }
  if (waitCount === 0) stop.abort()
  const logger = { debug: () => {}, info: () => {}, warn: (fields: object) => void warnings.push(fields) }
  const subscribe = createSubscription({ url: await urlOfNobody(), logger: logger as never, openMsMax: 5000, delay })
  await subscribe({ put: () => expect.fail('nobody sends transactions') }, stop.signal)
  return { waitsMs, warnings }
}

describe('the subscription at a node that does not answer', () => {
  it('is tried again after waits that double up to 30 s, and each failure is logged', async () => {
    const { waitsMs, warnings } = await subscribeFor(8)
    expect(waitsMs).to.deep.equal([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    expect(warnings.map((fields) => 'waitMs' in fields && fields.waitMs)).to.deep.equal(waitsMs)
  })

  it('is not tried after the signal aborted', async () => {
    expect(await subscribeFor(0)).to.deep.equal({ waitsMs: [], warnings: [] })
  })
})
