/**
 * A facilitator that reports every payment as settled, but moves no money. The simulated chain has no
 * transfers, which the service must notice.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmptyChain } from '../nodes/empty-chain.ts'
import { openShop } from '../open-shop.ts'
import { startHostileFacilitator } from './hostile-facilitator.ts'

export type Lies = Readonly<{
  /** The number of answers that the service delivered without being paid. */
  sold: number
  /** The time in seconds from the start until the service refused further sales. Null if it did not refuse. */
  stoppedAfterSec: number | null
  /** The status of the last buyer. */
  lastStatus: number
  /**
   * The service's comparison of its settlements with the chain, from `GET /v1/stats`. Null if the statistics
   * have no comparison.
   */
  settlements: Readonly<Record<string, number>> | null
  isLogged: boolean
}>

/** `speed` is the speed of the chain's clock. With a faster clock, payments expire sooner. */
export async function believeLies(run: Readonly<{ secondsMax: number; perSec: number; speed: number }>): Promise<Lies> {
  const facilitator = await startHostileFacilitator(() => false)
  const node = await startEmptyChain(run.speed)
  const shop = await openShop({ facilitatorUrl: facilitator.url, rpcUrl: node.url })
  const startedAtMs = performance.now()
  const secondsSoFar = () => (performance.now() - startedAtMs) / 1000
  let sold = 0
  let lastStatus = 0
  try {
    do {
      // Signs a new payment for each purchase, because a payment is valid for only two minutes. If the
      // service makes no offer, there is nothing to sign.
      const [payment] = await shop.sign(1).catch(() => [])
      lastStatus = payment === undefined ? 503 : (await shop.buy(payment)).status
      if (lastStatus === 200) sold += 1
      await sleep(1000 / run.perSec)
    } while (lastStatus === 200 && secondsSoFar() < run.secondsMax)
    const stats = (await (await fetch(`${shop.url}/v1/stats`)).json()) as Pick<Lies, 'settlements'>
    return {
      ...{ sold, lastStatus, settlements: stats.settlements ?? null },
      stoppedAfterSec: lastStatus === 200 ? null : Math.round(secondsSoFar()),
      isLogged: shop.log().includes('but the chain has no such transfer'),
    }
  } finally {
    await shop.stop()
    for (const server of [facilitator, node]) await server.stop()
  }
}

/** False: the sales did not stop. */
export async function attackByLyingFacilitator(): Promise<boolean> {
  const { sold, stoppedAfterSec, settlements, isLogged } = await believeLies({ secondsMax: 330, perSec: 2, speed: 1 })
  const end = stoppedAfterSec === null ? 'and it went on' : `and nothing after ${stoppedAfterSec} s`
  console.log(`${sold} answers sold without a transfer, ${end}; ${isLogged ? 'logged' : 'not logged'}`)
  console.log(`/v1/stats says ${JSON.stringify(settlements)}`)
  return stoppedAfterSec !== null
}
