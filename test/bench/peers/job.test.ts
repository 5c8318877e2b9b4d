import avsc from 'avsc'
import { expect } from 'chai'
import { viewed } from '../../../infra/codec/avro/viewed-bytes.ts'
import { createWalk } from '../../../processors/runtime/walk.ts'
import { isTick } from '../../../schemas/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { createPeerCodecs, type PeerOutput, type PeerTypes, peerBursts, peerStageOn } from './job.ts'
import { expectedOutputs } from './oracle.ts'
import {
  encodePeerSwap,
  isTickAt,
  type PeerSwap,
  PeerSwapView,
  peerSwapSchema,
  tickAtMs,
  weiOf,
} from './swap-record.ts'
import {
  lastTickAtMs,
  type PeerRecord,
  partitionCount,
  recordsOf,
  startAtMs,
  swapsOf,
  type Workload,
} from './workload.ts'

const workload: Workload = { swaps: 20_000, perSecond: 200, pools: 500, bursts: 40, tailMs: 1_801_000, seed: 7 }

const swap: PeerSwap = {
  pool: `0x${'ab'.repeat(32)}`,
  token: '0x12',
  sender: '',
  buy: true,
  ethWei: 0n,
  tokenRaw: 12.5,
  block: 20_000_001,
  eventAtMs: 1_750_000_000_123,
  poolCreatedAtMs: 1_749_999_000_000,
}

describe('the job of the peers', () => {
  it('gives what a recount gives, in each partition', () => {
    const expected = expectedOutputs(swapsOf(workload), lastTickAtMs(workload))
    expect(new Set(expected.map(({ k, tier }) => `${k} ${tier}`))).to.have.lengthOf(4)
    expect(outputsOf(recordsOf(workload))).to.have.deep.members(expected)
  })

  it('ends its windows, ages and scores where a recount does, when all times meet on a grid', () => {
    const expected = expectedOutputs(onGrid(swapsOf(workload)), lastTickAtMs(workload))
    expect(new Set(expected.map(({ k, tier }) => `${k} ${tier}`))).to.have.lengthOf(4)
    expect(outputsOf(recordsOf(workload, onGrid(swapsOf(workload))))).to.have.deep.members(expected)
  })

  it('counts to the millisecond: 15 s back, 5 min of age, half an hour on', () => {
    const firedAtMs = startAtMs + 60_000
    const at = (offsetMs: number, eth: number, tokenRaw: number): PeerSwap => {
      const ethWei = BigInt(Math.abs(eth) * 10) * 10n ** 17n
      const eventAtMs = firedAtMs + offsetMs
      return { ...swap, buy: eth > 0, ethWei, tokenRaw, eventAtMs, poolCreatedAtMs: firedAtMs - 300_000 }
    }
    const buys = Array.from({ length: 8 }, (_, index) => at(-50_000 + index, 0.2, 1e9))
    const later = [at(1_800_000, 0.1, 5e7), at(1_800_001, 0.1, 1e7)]
    const given = [...buys, at(-15_000, -1, 1e9), at(0, 0.1, 1e8), ...later]
    const outputs = outputsOf(recordsOf({ ...workload, swaps: 400_000 }, given))
    const fire = { tier: 'lite', pool: swap.pool, at: firedAtMs }
    expect(outputs).to.deep.equal([
      { k: 'fire', ...fire, net: String(7n * 10n ** 17n), buys: 9, price: 1e9 },
      { k: 'score', ...fire, ret: 2 - 1 - 0.02, peak: 2 - 1 - 0.02 },
    ])
    expect(expectedOutputs(given, lastTickAtMs({ ...workload, swaps: 400_000 }))).to.have.deep.members(outputs)
  })

  it('reads a swap in place as Avro has it, to the last wei', () => {
    const type = avsc.Type.forSchema(peerSwapSchema as unknown as avsc.Schema)
    for (const ethWei of [1n, 63n, 64n, 2n ** 27n - 1n, 2n ** 27n, 10n ** 15n]) {
      const bytes = encodePeerSwap({ ...swap, ethWei })
      expect({ ...type.decode(bytes, 5).value }).to.deep.equal({ ...swap, ethWei: Number(ethWei) })
    }
    for (const ethWei of [1n, 63n, 64n, 2n ** 27n - 1n, 2n ** 27n, 2n ** 28n + 5n, 10n ** 18n + 1n, 2n ** 62n - 1n]) {
      const view = new PeerSwapView(viewed(encodePeerSwap({ ...swap, ethWei })), 0)
      const { weiHigh, weiLow, tokenRaw, blockAtMs, poolCreatedAtMs, buy } = view
      expect(weiOf(weiHigh, weiLow)).to.equal(ethWei)
      expect({ tokenRaw, eventAtMs: blockAtMs, poolCreatedAtMs, buy }).to.deep.equal({
        tokenRaw: swap.tokenRaw,
        eventAtMs: swap.eventAtMs,
        poolCreatedAtMs: swap.poolCreatedAtMs,
        buy: swap.buy,
      })
    }
  })

  it('tells a tick from a swap', () => {
    const [aSwap, tick] = [swap, { ...swap, pool: 'tick', token: '' }].map((its) => viewed(encodePeerSwap(its)))
    expect([isTickAt(aSwap!, 0), isTickAt(tick!, 0)]).to.deep.equal([false, true])
    expect(tickAtMs(tick!, 0)).to.equal(swap.eventAtMs)
  })
})

const gridMs = 5000

function* onGrid(swaps: Iterable<PeerSwap>): Generator<PeerSwap> {
  const down = (atMs: number) => Math.floor(atMs / gridMs) * gridMs
  for (const its of swaps) yield { ...its, eventAtMs: down(its.eventAtMs), poolCreatedAtMs: down(its.poolCreatedAtMs) }
}

function outputsOf(records: Iterable<PeerRecord>): PeerOutput[] {
  const { factCodec } = createPeerCodecs(() => {})
  const stage = peerStageOn({
    name: 'peers',
    factTopic: topics['chain-a-facts'],
    derivedTopic: topics['chain-a-derived'],
  })
  const walks = Array.from({ length: partitionCount }, () => createWalk({ stage, processors: [peerBursts] }))
  const outputs: PeerOutput[] = []
  for (const { partition, key, value } of records) {
    const walk = walks[partition]!
    const record = factCodec.decodeAt(viewed(value), 0, value.length)
    if (isTick(record)) outputs.push(...walk.onTick(record.data).map((output) => output.record.data))
    else walk.onFact(key, record as PeerTypes['fact'])
  }
  return outputs
}
