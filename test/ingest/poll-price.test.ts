import { expect } from 'chai'
import { clockErrorMsMax } from '../../ingest/believable-time.ts'
import { createPricePoll } from '../../ingest/poll-price.ts'
import type { CoinPrice } from '../../schemas/tick.ts'

const nowMs = 1_800_000_000_000
const at = (atMs: number, usd = 1): CoinPrice => ({ usd, atMs })

/** Polls a feed that gives these prices. Returns the newest price after each of them, and the waits. */
async function poll(prices: readonly (CoinPrice | null)[], initial: CoinPrice | null = null) {
  const stop = new AbortController()
  const [left, waits, seen] = [[...prices], [] as number[], [] as (CoinPrice | null)[]]
  const polled = createPricePoll({
    ...{ initial, nowMs: () => nowMs, readPrice: async () => left.shift() ?? null },
    delay: async (ms, signal) => {
      expect(signal).to.equal(stop.signal)
      waits.push(ms)
      seen.push(polled.latest())
      if (left.length === 0) stop.abort()
    },
  })
  const first = polled.latest()
  await polled.run(stop.signal)
  return { first, seen, waits }
}

describe('the polled price', () => {
  it('is the newest one, read every ten seconds', async () => {
    const { first, seen, waits } = await poll([at(5), at(6, 2)])
    expect([first, ...seen]).to.deep.equal([null, at(5), at(6, 2)])
    expect(waits).to.deep.equal([10_000, 10_000])
  })

  it('stays after a failed read, and before an older price', async () => {
    const { seen } = await poll([at(5), null, at(4, 2), at(5, 3)])
    expect(seen).to.deep.equal([at(5), at(5), at(5), at(5, 3)])
  })

  it('begins with that of the log, unless its time is in the future', async () => {
    const [known, wrong] = [at(nowMs + clockErrorMsMax, 7), at(nowMs + clockErrorMsMax + 1, 7)]
    expect((await poll([at(5)], known)).seen).to.deep.equal([known])
    expect(await poll([at(5)], wrong)).to.deep.include({ first: null, seen: [at(5)] })
  })

  it('is never read without a feed', async () => {
    const polled = createPricePoll({
      ...{ readPrice: null, initial: at(3), nowMs: () => nowMs, delay: () => expect.fail('nothing is polled') },
    })
    await polled.run(new AbortController().signal)
    expect(polled.latest()).to.deep.equal(at(3))
  })
})
