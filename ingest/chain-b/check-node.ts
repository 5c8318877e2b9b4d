/**
 * Checks the node of chain B for the `doctor` command: the node is reachable, is not behind the chain, and
 * serves the methods that ingest needs.
 */

import { answerMsMax, type Check, examine, off, ok, wrong } from '../../infra/check.ts'
import type { Config } from '../../infra/config.ts'
import { hostOf } from '../../infra/http-url.ts'
import { minuteMs } from '../../schemas/units.ts'
import { configuredNode } from './configured-node.ts'
import { pumpProgram } from './decode/programs.ts'
import { type ChainBNode, openNode } from './follow/open-rpc-source.ts'
import { trySubscription } from './follow/subscription.ts'

/**
 * The maximum age of the newest block of the node. A slot takes 0.4 s, so a node with an older block is
 * behind the chain.
 */
const headAgeMsMax = minuteMs

const name = 'chain B node'
const subscriptionName = 'chain B subscription'
const toDo = 'check that the node runs and accepts the key, or correct HELIUS_API_KEY and CHAIN_B_RPC_URL'

export function checkChainB(config: Config): readonly Promise<Check>[] {
  const node = configuredNode(config)
  if (node === null)
    return [
      Promise.resolve(
        off(
          name,
          'none configured (HELIUS_API_KEY or CHAIN_B_RPC_URL): the simulated market is shown, nothing in it is real',
        ),
      ),
    ]
  return [checkReader(node), ...(node.kind === 'helius' ? [checkSubscription(node.wsUrl)] : [])]
}

function checkReader(node: ChainBNode): Promise<Check> {
  const where = hostOf(node.url)
  return examine({ name, where, toDo }, async () => {
    const reader = openNode({ node, timeoutMs: answerMsMax - 500, triesMax: 1 })
    const signal = AbortSignal.timeout(answerMsMax)
    const head = await reader.headSlot(signal)
    const block = await reader.block(head, signal)
    // This request fails if the paid plan at Helius lacks the method that `listOf` calls.
    if (node.kind === 'helius') await reader.listOf(pumpProgram, { fromSlot: head - 1, toSlot: head }, signal)
    if (block === null) return wrong(name, `${where} has no block of its newest slot ${head}`, toDo)
    const ageMs = Date.now() - block.atMs
    const says = `${where}: head ${head}, ${Math.max(0, Math.round(ageMs / 1000))} s old`
    return ageMs > headAgeMsMax
      ? wrong(
          name,
          `${says}, but the limit is ${headAgeMsMax / 1000} s`,
          'wait until the node has caught up. Until then, every answer is refused as stale',
        )
      : ok(name, says)
  })
}

function checkSubscription(url: string): Promise<Check> {
  const where = hostOf(url)
  const ask =
    'check that the plan has transactionSubscribe, or correct HELIUS_API_KEY and CHAIN_B_WS_URL. Without the subscription, ingest sends more requests'
  return examine({ name: subscriptionName, where, toDo: ask }, async () => {
    await trySubscription(url, AbortSignal.timeout(answerMsMax - 500))
    return ok(subscriptionName, `${where}: subscribed to the launch program`)
  })
}
