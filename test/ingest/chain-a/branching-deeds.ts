/** Random transactions of the simulated chain, with their logs. */
import { logTopics } from '../../../ingest/chain-a/decode/log-topics.ts'
import type { Random } from '../../../ingest/simulated/random.ts'
import type { Hex } from '../../../schemas/units.ts'
import { curveDeed } from './branching-curves.ts'
import {
  addressOf,
  type Deed,
  type DeedLog,
  dataOf,
  digest,
  type Emitters,
  type Market,
  type Position,
  topicOf,
  word,
} from './branching-words.ts'

export function deedsOf(random: Random, market: Market): readonly Deed[] {
  const deeds: Deed[] = []
  for (let left = random.whole(0, 3); left > 0; left--) {
    const deed = deedOf(random, market)
    if (deed.born?.kind === 'pool') market.pools.push(deed.born.pool)
    if (deed.born?.kind === 'position') market.positions.push(deed.born)
    if (deed.born?.kind === 'curve') market.curves.push(deed.born)
    deeds.push(deed)
  }
  return deeds
}

function deedOf(random: Random, market: Market): Deed {
  const { emitters, pools, positions } = market
  const [first, ...rest] = pools
  const position = positions[random.whole(0, positions.length - 1)]
  if (random.chance(0.3)) return curveDeed(random, market)
  const hash = market.nextHash()
  if (first === undefined || random.chance(0.1)) return birth(emitters, hash)
  if (random.chance(0.2)) {
    // A quarter of the new positions are in a pool that the chain has not created.
    const pool = random.chance(0.25) ? digest('unknown pool') : random.pick([first, ...rest])
    return mint(emitters, { pool, number: BigInt(positions.length + 1) }, hash)
  }
  if (position && random.chance(0.3)) return transfer(emitters, position, hash)
  return swap(emitters, random.pick([first, ...rest]), hash)
}

function birth({ poolManager }: Emitters, hash: Hex): Deed {
  const topics = [logTopics.v4Initialize, hash, topicOf('0x0'), topicOf(addressOf('token', hash))]
  const log = { address: poolManager, topics, data: dataOf([3000, 60, 0, 2n ** 96n, 0]) }
  return { hash, logs: [log], born: { kind: 'pool', pool: hash } }
}

function swap({ poolManager }: Emitters, pool: Hex, hash: Hex): Deed {
  const topics = [logTopics.v4Swap, pool, topicOf(addressOf('router'))]
  const data = dataOf([-(10n ** 16n), 10n ** 20n, 2n ** 96n, 10n ** 18n, 0, 3000])
  return { hash, logs: [{ address: poolManager, topics, data }] }
}

function mint(emitters: Emitters, { pool, number }: Position, hash: Hex): Deed {
  const { poolManager, positionManager } = emitters
  const topics = [logTopics.v4ModifyLiquidity, pool, topicOf(positionManager)]
  const change = { address: poolManager, topics, data: dataOf([-600, 600, 10n ** 18n, number]) }
  const logs = [transferLog(emitters, number, [nobody, addressOf('owner', hash)]), change]
  return { hash, logs, born: { kind: 'position', pool, number } }
}

function transfer(emitters: Emitters, { pool, number }: Position, hash: Hex): Deed {
  return { hash, logs: [transferLog(emitters, number, [addressOf('owner', pool), addressOf('owner', hash)])] }
}

const nobody: Hex = `0x${'0'.repeat(40)}`

const transferLog = ({ positionManager }: Emitters, number: bigint, [from, to]: readonly [Hex, Hex]): DeedLog => ({
  address: positionManager,
  topics: [logTopics.positionTransfer, topicOf(from), topicOf(to), `0x${word(number)}`],
  data: '0x',
})
