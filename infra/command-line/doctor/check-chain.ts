/** The nodes that tell the facts: reachable, of the right chain, not behind it. */
import { createNode } from '../../../ingest/chain-a/node/node.ts'
import { hostOf } from '../../../ingest/chain-a/node/redact.ts'
import { chainAContracts } from '../../../ingest/chain-a/presets.ts'
import { answerMsMax, type Check, examine, off, ok, wrong } from '../../check.ts'
import type { Config } from '../../config.ts'

/** A chain that makes a block a second, or one in twelve, has none this old unless its node is behind. */
const headAgeMsMax = 120_000

export function checkChain(config: Config): readonly Promise<Check>[] {
  if (config.CHAIN_A_RPC_URL === undefined)
    return [
      Promise.resolve(
        off('chain node', 'none configured (CHAIN_A_RPC_URL): the simulated market is shown, nothing in it is real'),
      ),
    ]
  const { chainId } = chainAContracts(config.CHAIN_A_PRESET, config.CHAIN_A_CONTRACTS)
  return config.CHAIN_A_RPC_URL.map((url) => checkNode(url, chainId))
}

function checkNode(url: string, chainId: number): Promise<Check> {
  const name = 'chain node'
  return examine({ name, where: hostOf(url), toDo: 'see that the node runs, or correct CHAIN_A_RPC_URL' }, async () => {
    const ask = askOf(url)
    const found = Number(await ask<string>('eth_chainId', []))
    if (found !== chainId)
      return wrong(
        name,
        `${hostOf(url)} is a node of chain ${found}, and the contracts are those of chain ${chainId}`,
        'correct CHAIN_A_RPC_URL, CHAIN_A_PRESET or CHAIN_A_CONTRACTS',
      )
    const head = await ask<Readonly<{ number: string; timestamp: string }>>('eth_getBlockByNumber', ['latest', false])
    const ageMs = Date.now() - Number(head.timestamp) * 1000
    const says = `${hostOf(url)}: chain ${chainId}, head ${Number(head.number)}, ${Math.max(0, Math.round(ageMs / 1000))} s old`
    return ageMs > headAgeMsMax
      ? wrong(name, says, 'let the node catch up with its chain; until then every answer is refused as stale')
      : ok(name, says)
  })
}

/** A node of one URL, asked within the time of a check. */
export function askOf(url: string) {
  const node = createNode({ urls: [url], timeoutMs: answerMsMax - 500 })
  return <Result>(method: string, params: readonly unknown[]): Promise<Result> =>
    node.request<Result>({ method, params }, AbortSignal.timeout(answerMsMax))
}
