/**
 * Draws random pools and trades of chain A, as facts for the service and as events for a second computation.
 * They contain rare cases, for example several pools of a token and several blocks in one second. Some swaps
 * do not count. There are bursts on both sides of each age limit, and every form of pull (removal of
 * liquidity).
 */
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../../../schemas/chain-a/stage.ts'
import type { Hex } from '../../../../schemas/units.ts'
import type { KeyedRecord } from '../../../replay/keyed-record.ts'
import { createDraw, type Draw } from '../../../replay/market/draw.ts'
import { buildAddress, buildHash, buildTick, second } from '../../builders/build-facts.ts'
import { positionsOf } from './chain-a-positions.ts'
import { tradesOf } from './chain-a-trades.ts'
import { type MarketState, stateOf } from './chain-a-world.ts'

export type DrawnPool = Readonly<{
  pool: Hex
  token: Hex
  /** The creator of the pool. Null: the facts have an old schema and do not name the sender. */
  creator: Hex | null
  openedSec: number
  isV4: boolean
  ethIsCurrency0: boolean
  hooks: Hex | null
}>

/**
 * An event of a pool. Each second has two blocks, with `half` 0 and 1. `make` builds the facts of one
 * transaction.
 */
export type DrawnEvent = Readonly<{
  atSec: number
  half: number
  token: Hex
  make(place: DrawnPlace): readonly ChainAFact[]
}>
export type DrawnPlace = Readonly<{
  blockAtMs: number
  blockNumber: number
  blockHash: Hex
  txIndex: number
  txHash: Hex
}>

/** Randomly drawn test data. `records` are in chain order, with ticks. */
export type RandomMarket = MarketState & Readonly<{ records: readonly KeyedRecord<ChainATypes>[] }>

const hourSec = 3600

export function randomMarket(seed: number): RandomMarket {
  const draw = createDraw(seed)
  const pools = Array.from({ length: 5 }, (_, index) => drawPool(draw, index))
  const events = pools.flatMap((pool) => [...positionsOf(pool, draw), ...tradesOf(pool, draw)])
  const blockOf = ({ atSec, half }: DrawnEvent) => 2 * atSec + half
  const ordered = [...events].sort((one, other) => blockOf(one) - blockOf(other))
  const facts = ordered.flatMap((event, index) => {
    const blockNumber = blockOf(event)
    const place = { blockAtMs: second(event.atSec), blockNumber, blockHash: buildHash(blockNumber) }
    const made = event.make({ ...place, txIndex: index, txHash: buildHash(0x1000_0000 + index) })
    return made.map((record) => ({ key: event.token, record }))
  })
  const placed = facts.map(({ key, record }, index) => ({
    key,
    record: { ...record, data: { ...record.data, logIndex: index } } as ChainAFact,
  }))
  const told = placed.map(({ record }) => record)
  const senders = Object.fromEntries(
    told.map(({ data }) => [data.txHash, buildAddress(0x900 + Number(BigInt(data.txHash) % 7n))]),
  )
  return { records: withTicks(placed, draw), ...stateOf(pools, told, senders) }
}

/**
 * The delay of each pool's creation, in seconds. A token has one or two pools. The second pool of the first
 * token is created exactly at a liquidity check of the first pool. The second pool of the second token can
 * have a burst when the service drops the first pool.
 */
const openedAfterSec = [0, 0, 0, 600, 4500]

function drawPool(draw: Draw, index: number): DrawnPool {
  const isV4 = index === 0 || draw(3) > 0
  return {
    ...{ pool: buildHash(0xb00 + index), token: buildAddress(0x700 + (index % 3)) },
    creator: draw(4) > 0 ? buildAddress(0xc00 + index) : null,
    ...{ openedSec: 30 + (openedAfterSec[index] ?? 0), isV4, ethIsCurrency0: draw(3) > 0 },
    hooks: isV4 && draw(2) === 0 ? buildAddress(0xf00 + index) : null,
  }
}

/**
 * Adds ticks. Most seconds end with a tick. The last ticks let all timers expire, after half an hour for
 * outcomes and after a day and a half for pools.
 */
function withTicks(facts: readonly KeyedRecord<ChainATypes>[], draw: Draw): readonly KeyedRecord<ChainATypes>[] {
  const records: KeyedRecord<ChainATypes>[] = []
  let seq = 0
  const tick = (blockAtMs: number, blockNumber: number) =>
    records.push({ key: 'tick', record: { type: 'Tick', data: buildTick({ seq: ++seq, blockAtMs, blockNumber }) } })
  for (const [index, fact] of facts.entries()) {
    records.push(fact)
    const { blockAtMs, blockNumber } = fact.record.data as DrawnPlace
    const next = facts[index + 1]?.record.data as DrawnPlace | undefined
    if (next?.blockAtMs !== blockAtMs && draw(4) > 0) tick(blockAtMs, blockNumber)
  }
  for (const atSec of [49 * hourSec, 50 * hourSec]) tick(second(atSec), 2 * atSec)
  return records
}
