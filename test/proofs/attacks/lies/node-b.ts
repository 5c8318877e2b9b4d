/** A fake Helius server that lies over HTTP and over sockets. */
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { createRandom } from '../../../../ingest/simulated/random.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import { readCanonicalChainB } from '../../../ingest/chain-b/follow/canonical-facts.ts'
import { answer } from '../../../support/chain-b/fake-helius/answers.ts'
import { createFakeChain } from '../../../support/chain-b/fake-helius/chain.ts'
import { createFaults } from '../../../support/chain-b/fake-helius/faults.ts'
import { startFakeHelius } from '../../../support/chain-b/fake-helius/server.ts'
import { compareFacts, type ReadFacts, textOf, toldFacts } from './compare-facts.ts'
import { type Call, lieInRpc, rpcAnswer } from './json-rpc.ts'
import { startLiar } from './liar.ts'
import { type Lying, lieAbout } from './tell.ts'
import { waitUntil } from './wait-until.ts'
import type { Services, World } from './world.ts'

const pastSec = 60
const pageCount = 100
const replaceEvery = 100
const key = 'a-secret-key'

/**
 * The lies leave these fields true. A reader cannot notice lies about the content or existence of a
 * transaction, or about an account.
 */
const believed = ['transaction', 'meta', 'transactions', 'data', 'value', 'signature', 'err', 'version']

/**
 * The number of blocks that are added after the last compared block. In this time, the service reads missing
 * transactions again.
 */
const settleBlocks = 30
const settleMsMax = 120_000
const repairMs = 45_000

export async function openNodeB(seed: number): Promise<World> {
  const chain = await createFakeChain(seed, Math.floor(Date.now() / 1000) - pastSec)
  const random = createRandom(seed, 94)
  do chain.grow(1)
  while (chain.head().atSec < Date.now() / 1000)
  const view = () => ({ chain, headSlot: chain.head().slot, listedSlot: chain.head().slot, pageCount })
  const honest = rpcAnswer(async ({ method, params }) => answer(view(), method, params))
  const liar = await startLiar({ seed, honest, believed, lie: lieInRpc(lieAboutResult) })
  const faults = createFaults(seed)
  const calm = createFaults(seed)
  calm.calm()
  const isFaulty: typeof faults.draw = (fault, probability) => {
    if (!liar.isLying() || !faults.draw(fault, probability)) return false
    liar.count(`a socket: ${fault}`)
    return true
  }
  const sockets = await startFakeHelius({ chain, faults: { ...faults, draw: isFaulty }, isHelius: true })
  const node = await startFakeHelius({ chain, faults: calm, isHelius: true, pageCount })
  const announce = (blocks: Parameters<typeof node.announce>[0]) => {
    for (const each of [sockets, node]) each.announce(blocks)
  }
  const step = () => {
    while (chain.head().atSec < Date.now() / 1000) announce(chain.grow(1, true))
    if (random.whole(1, replaceEvery) === 1) announce(chain.replace(random.whole(1, 4)))
  }
  const reach = async (services: Services, slot: number): Promise<readonly string[]> => {
    const late: string[] = []
    for (const [side, service] of Object.entries(services)) {
      const isThere = async () => {
        step()
        return ((await service.health())?.chains.chainB?.block ?? 0) >= slot
      }
      if ((await waitUntil(isThere, settleMsMax)) === null) late.push(`what is ${side} does not come to slot ${slot}`)
    }
    return late
  }
  return {
    liar,
    environmentOf: (side) => ({
      HELIUS_API_KEY: key,
      CHAIN_B_RPC_URL: side === 'lied to' ? `${liar.url}/?api-key=${key}` : node.url,
      CHAIN_B_WS_URL: side === 'lied to' ? sockets.wsUrl : node.wsUrl,
    }),
    step,
    async settle(services) {
      const untilMs = Date.now() + repairMs
      await waitUntil(async () => {
        step()
        return Date.now() > untilMs
      }, repairMs)
      return reach(services, chain.head().slot + settleBlocks)
    },
    compare: (folders) => compareFacts('facts of chain B', folders, readChainB),
    leftOut: [`the fields ${believed.join(', ')} of answers`, 'lists that leave something out'],
    stop: async () => {
      for (const server of [liar, sockets, node]) await server.stop()
    },
  }
}

/**
 * Changes a result. One of the changes is a page that always names a further page, so that there is no last
 * page.
 */
function lieAboutResult({ method }: Call, result: unknown, lying: Lying): unknown {
  const { random, count } = lying
  if (method === 'getTransactionsForAddress' && random.chance(0.2)) {
    count('a page that leads on')
    return { ...(result as object), paginationToken: `0:-1:${random.whole(0, 1e9)}` }
  }
  return lieAbout(result, lying)
}

/** Only the service that got the lies has these facts, because it missed transactions for a while. */
const ofGaps: readonly string[] = ['GapFound', 'GapRepaired']

const readChainB: ReadFacts = async ({ log, registry }) => {
  const { facts, ticks } = await readCanonicalChainB(log, await createIngestCodecs(chainBStage, registry))
  return toldFacts(
    facts
      .filter(({ fact: { type } }) => !ofGaps.includes(type))
      .map(({ key: mint, fact: { type, data } }) => ({ data, text: `${mint} ${type} ${textOf(data)}` })),
    ticks,
  )
}
