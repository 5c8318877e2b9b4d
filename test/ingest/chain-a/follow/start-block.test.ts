import { expect } from 'chai'
import { pino } from 'pino'
import { createRpcSource } from '../../../../ingest/chain-a/follow/rpc-source.ts'
import { createNode } from '../../../../ingest/chain-a/node/node.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import { scatteredFaults, startFaultProxy, type Upstream } from '../../../support/sockets/fault-proxy.ts'
import { knownOf } from '../../known-of.ts'
import { blockOf } from '../rpc-double.ts'

/** A chain with one block per second, as old as a real chain. The search for a block reads 26 headers. */
const head = 40_000_000
const backfillSec = 86_400
const upstream: Upstream = async (method, [first]) => {
  if (method === 'eth_chainId') return '0x1237'
  return method === 'eth_getLogs' ? [] : blockOf({ head, branchOf: () => 1 }, String(first))
}

async function firstBlockAt(share: number, seed: number): Promise<number> {
  const proxy = await startFaultProxy({ upstream, seed, leftOut: new Set(), rates: scatteredFaults(share) })
  const delay = async () => undefined
  const stop = new AbortController()
  try {
    const source = createRpcSource({
      node: createNode({ urls: [proxy.url], delay }),
      ...{ contracts: chainAContracts('robinhood'), logger: pino({ level: 'silent' }), delay },
      ...{ lagBlocks: 3, logRangeMax: 1000, backfillMs: backfillSec * 1000 },
    })
    for await (const { fromBlock } of source.ranges(null, knownOf(), stop.signal)) return fromBlock
    return -1
  } finally {
    stop.abort()
    await proxy.stop()
  }
}

describe('the first start at a node with faults', () => {
  for (const share of [0.1, 0.3])
    it(`finds its first block where ${share * 100} % of the requests fail`, async () => {
      for (let seed = 1; seed <= 20; seed++)
        expect(await firstBlockAt(share, seed), `seed ${seed}`).to.equal(head - backfillSec)
    })
})
