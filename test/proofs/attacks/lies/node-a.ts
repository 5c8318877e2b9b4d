/** A node of chain A that lies. */
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { idOfFact, readCanonicalFacts } from '../../../ingest/canonical-facts.ts'
import { compareFacts, type ReadFacts, textOf, toldFacts } from './compare-facts.ts'
import { type Call, lieInRpc, rpcAnswer } from './json-rpc.ts'
import { startLiar } from './liar.ts'
import { createLivingChain } from './living-chain.ts'
import { type Lying, lieAbout } from './tell.ts'
import type { World } from './world.ts'

/**
 * The lies leave these fields true. In a well-formed log, a reader cannot notice a false amount, transaction
 * or contract.
 */
const believed = ['data', 'address', 'topics', 'transactionHash', 'transactionIndex', 'from']

const leftOut = [
  `the fields ${believed.join(', ')} of a log or a transaction`,
  'a log that is left out, or is in another place, a second time',
  'another word as the result of a call, and that there is no contract',
]

export async function openNodeA(seed: number): Promise<World> {
  const canonical = createLivingChain(seed)
  const honest = rpcAnswer(canonical.answer)
  const lieAboutResult = createResultLies()
  const [liar, node] = [
    await startLiar({ seed, honest, believed, lie: lieInRpc(lieAboutResult) }),
    await startLiar({ seed, honest, lie: (_, answer) => answer }),
  ]
  return {
    liar,
    environmentOf: (side) => ({
      ...canonical.environment,
      CHAIN_A_RPC_URL: side === 'lied to' ? liar.url : node.url,
    }),
    ...{ step: canonical.step, settle: canonical.settle, leftOut },
    compare: (folders) => compareFacts('facts of chain A', folders, readChainA),
    stop: async () => {
      for (const server of [liar, node]) await server.stop()
    },
  }
}

export const readChainA: ReadFacts = async ({ log, registry }) => {
  const { facts, ticks } = await readCanonicalFacts(log, await createIngestCodecs(chainAStage, registry))
  return toldFacts(
    facts.map((fact) => ({ data: fact.data, text: `${idOfFact(fact)} ${textOf(fact.data)}` })),
    ticks,
  )
}

/**
 * Returns a function that changes results only in ways that a reader can notice. The reader may notice a
 * change only when it reads the block again.
 */
function createResultLies() {
  const leftOut = new Set<string>()
  return ({ method }: Call, result: unknown, lying: Lying): unknown => {
    const lied = lieAbout(result, lying)
    if (method === 'eth_call' || method === 'eth_getCode') return isBytes(lied) ? result : lied
    if (method !== 'eth_getLogs' || !Array.isArray(lied) || !Array.isArray(result)) return lied
    const given = new Set(lied.map((log: unknown) => JSON.stringify(log)))
    const missing = result.filter((log: unknown) => !given.has(JSON.stringify(log)))
    const blocks = missing.map((log: Readonly<{ blockHash: string }>) => log.blockHash)
    if (blocks.some((hash) => leftOut.has(hash))) return result
    for (const hash of blocks) leftOut.add(hash)
    return lied
  }
}

const isBytes = (value: unknown): boolean => typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/.test(value)
