/** Buys every chain A answer as a client does, and reads the block time from an answer. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import type { LaunchCurve } from '../../api/chain-a/resources/launch-curve.ts'
import { burstsHistoryAnswer } from '../../api/chain-a/routes/bursts-history.ts'
import { burstsLiveAnswer } from '../../api/chain-a/routes/bursts-live.ts'
import { crewsAnswer } from '../../api/chain-a/routes/crews.ts'
import { poolFlowAnswer } from '../../api/chain-a/routes/pool-flow.ts'
import { poolsNewAnswer } from '../../api/chain-a/routes/pools-new.ts'
import { rugCheckAnswer } from '../../api/chain-a/routes/rugcheck.ts'
import { snapshotPart } from '../../api/chain-a/snapshot-part.ts'
import { snapshotAnswer } from '../../api/snapshot.ts'

/** A `fetch` that pays after a 402. */
export type PaidFetch = (url: string) => Promise<Response>

export type Shop = Readonly<{ baseUrl: string; fetch: PaidFetch }>

type Envelope = Readonly<{ generatedAt: number; ageSec: number }>

/**
 * Returns the time of the newest block in an answer. Block times are whole seconds, so the rounded age is
 * enough.
 */
export const blockAtMsOf = ({ generatedAt, ageSec }: Envelope): number => Math.floor(generatedAt / 1000 - ageSec) * 1000

const sellingLimitMs = 120_000

/** On a busy machine the facilitator may be late. Then nothing is charged, and the client repeats the request. */
type Asked = Readonly<{ status: number; text: string }>

async function askUntilSold({ baseUrl, fetch }: Shop, path: string): Promise<Asked> {
  const endAtMs = Date.now() + sellingLimitMs
  for (;;) {
    const response = await fetch(`${baseUrl}${path}`)
    const { status } = response
    const text = await response.text()
    if (status !== 503 || !text.includes('"payments_not_live"') || Date.now() > endAtMs) return { status, text }
    await sleep(500)
  }
}

async function buy<Shape extends z.ZodType>(shop: Shop, path: string, shape: Shape) {
  return parsed(path, await askUntilSold(shop, path), shape)
}

function parsed<Shape extends z.ZodType>(path: string, { status, text }: Asked, shape: Shape) {
  assert.equal(status, 200, `${path}: ${status} ${text.slice(0, 300)}`)
  return shape.parse(JSON.parse(text)) as z.infer<Shape>
}

export const buyHistory = (shop: Shop) => buy(shop, '/v1/rh/bursts/history?hours=24', burstsHistoryAnswer)
export const buyLive = (shop: Shop) => buy(shop, '/v1/rh/bursts/live?minutes=240&tier=all', burstsLiveAnswer)
export const buyPools = (shop: Shop) => buy(shop, '/v1/rh/pools/new?hours=24&limit=1000', poolsNewAnswer)
export const buyFlow = (shop: Shop, pool: string) => buy(shop, `/v1/rh/pools/${pool}/flow`, poolFlowAnswer)

/** The default names of the chain and the launchpad. */
export const chainName = 'chainA'
export const launchpadKey = 'launchCurve'

/** Some keys of these answers are configured names. These types have the names that this test configures. */
export type RugCheck = z.infer<ReturnType<typeof rugCheckAnswer>> & Readonly<{ [launchpadKey]?: LaunchCurve }>
export type Snapshot = Envelope & Readonly<{ [chainName]: z.infer<typeof snapshotPart> }>

const rugCheckPath = (token: string) => `/v1/rh/token/${token}/rugcheck`
/** Null: the token is unknown. */
export async function seekRugCheck(shop: Shop, token: string): Promise<RugCheck | null> {
  const asked = await askUntilSold(shop, rugCheckPath(token))
  return asked.status === 404 ? null : (parsed(rugCheckPath(token), asked, rugCheckAnswer(launchpadKey)) as RugCheck)
}
export const buyRugCheck = async (shop: Shop, token: string): Promise<RugCheck> =>
  (await buy(shop, rugCheckPath(token), rugCheckAnswer(launchpadKey))) as RugCheck
export const buyCrews = (shop: Shop) => buy(shop, '/v1/rh/crews', crewsAnswer)
/** Buys the snapshot. It has only chain A, because chain B has no node here. */
export const buySnapshot = async (shop: Shop): Promise<Snapshot> =>
  (await buy(shop, '/v1/snapshot?minutes=240', snapshotAnswer({ [chainName]: snapshotPart }))) as unknown as Snapshot
export const buyByClass = (shop: Shop, lp: 'safe' | 'held') =>
  buy(shop, `/v1/rh/bursts/live?minutes=240&tier=all&lp=${lp}`, burstsLiveAnswer)
