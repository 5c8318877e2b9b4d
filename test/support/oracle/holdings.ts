/**
 * Reads the owners of a pool's liquidity at the end of a block from the node's state. The possible positions
 * come from the logs. The pool's own sum of liquidity shows that no position is missing.
 */
import assert from 'node:assert/strict'
import { encodePacked, keccak256 } from 'viem'
import type { OracleBurst } from './bursts.ts'
import type { OracleEvents, OracleLiquidity, OraclePool } from './events.ts'
import type { AskNode, HeldPosition, Holding, Recording } from './recording.ts'

type Place = Readonly<{ pool: OraclePool; block: number; changes: readonly OracleLiquidity[] }>

const checkedEveryMs = 10 * 60_000
const checkedUntilMs = 6 * 3_600_000

/**
 * Returns the blocks to read. They are the blocks of each change and each burst, the blocks before these, and
 * the blocks of the regular checks.
 */
export function placesToRead(events: OracleEvents, bursts: readonly OracleBurst[], headAtMs: number): readonly Place[] {
  return events.pools.flatMap((pool) => {
    const here = <Event extends Readonly<{ pool: string }>>(all: readonly Event[]) =>
      all.filter((event) => event.pool === pool.id)
    const changes = here(events.liquidity)
    const around = [...changes, ...here(events.transfers), ...here(bursts)].flatMap(({ block }) => [block - 1, block])
    const checks = checkInstants(pool, headAtMs).flatMap((atMs) => newestBlock(events, pool, atMs) ?? [])
    const blocks = new Set([pool.createdBlock, ...around, ...checks].filter((block) => block >= pool.createdBlock))
    return [...blocks].map((block) => ({ pool, block, changes: changes.filter((change) => change.block <= block) }))
  })
}

/**
 * Returns the times of the past checks. There is one check every ten minutes while the pool is less than six
 * hours old.
 */
export function checkInstants(
  { createdAtMs }: Pick<OraclePool, 'createdAtMs'>,
  blockAtMs: number,
  everyMs = checkedEveryMs,
): readonly number[] {
  const instants: number[] = []
  for (let ageMs = everyMs; ageMs < checkedUntilMs && createdAtMs + ageMs < blockAtMs; ageMs += everyMs)
    instants.push(createdAtMs + ageMs)
  return instants
}

/** Returns the newest block up to `atMs` that has a log about the token's pools. */
export function newestBlock(events: OracleEvents, { token }: OraclePool, atMs: number): number | undefined {
  const ids = new Set(events.pools.filter((pool) => pool.token === token).map(({ id }) => id))
  return events.touches.findLast((touch) => ids.has(touch.pool) && touch.atMs <= atMs)?.block
}

const readAtOnce = 100

export async function readHoldings(
  ask: AskNode,
  contracts: Recording['contracts'],
  places: readonly Place[],
): Promise<readonly Holding[]> {
  const holdings: Holding[] = []
  for (let from = 0; from < places.length; from += readAtOnce)
    holdings.push(
      ...(await Promise.all(places.slice(from, from + readAtOnce).map((place) => readHolding(ask, contracts, place)))),
    )
  return holdings
}

async function readHolding(ask: AskNode, contracts: Recording['contracts'], place: Place): Promise<Holding> {
  const { pool, block, changes } = place
  const call = async (to: string, data: string) =>
    (await ask('eth_call', [{ to, data }, `0x${block.toString(16)}`])) as string
  const keys = new Map(changes.map((change) => [keyOf(change), change]))
  const read = [...keys.values()].map((change) => readPosition(call, contracts, { pool, change }))
  const positions = (await Promise.all(read)).filter(({ liquidity }) => liquidity !== '0')
  await assertComplete(call, contracts, { pool, positions })
  return { pool: pool.id, block, positions }
}

type Call = (to: string, data: string) => Promise<string>

const keyOf = ({ owner, salt, lower, upper }: OracleLiquidity): string => `${owner} ${salt} ${lower} ${upper}`

const selectors = {
  ownerOf: '0x6352211e',
  getPositionLiquidity: '0x1efeed33',
  getPositionInfo: '0xdacf1d2f',
  getSlot0: '0xc815641c',
  getLiquidity: '0xfa6793d5',
  v3Positions: '0x514ea4bf',
  v3Slot0: '0x3850c7bd',
  v3Liquidity: '0x1a686502',
} as const

const wordOf = (value: string | number): string =>
  typeof value === 'string'
    ? value.slice(2).padStart(64, '0')
    : BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')
const numberIn = (answer: string, index = 0): bigint => BigInt(`0x${answer.slice(2 + index * 64, 66 + index * 64)}`)

async function readPosition(
  call: Call,
  { positionManager, stateView }: Recording['contracts'],
  { pool, change }: Readonly<{ pool: OraclePool; change: OracleLiquidity }>,
): Promise<HeldPosition> {
  const { owner, salt, lower, upper } = change
  const held = (liquidity: bigint, nftOwner: string | null) => ({
    lower,
    upper,
    liquidity: String(liquidity),
    nftOwner,
  })
  if (salt === null) {
    const key = keccak256(encodePacked(['address', 'int24', 'int24'], [owner as `0x${string}`, lower, upper]))
    return held(numberIn(await call(pool.id, selectors.v3Positions + wordOf(key))), null)
  }
  if (owner !== positionManager.toLowerCase()) {
    const data = selectors.getPositionInfo + [pool.id, owner, lower, upper, salt].map(wordOf).join('')
    return held(numberIn(await call(stateView, data)), null)
  }
  const liquidity = numberIn(await call(positionManager, selectors.getPositionLiquidity + wordOf(salt)))
  if (liquidity === 0n) return held(0n, null)
  return held(liquidity, `0x${(await call(positionManager, selectors.ownerOf + wordOf(salt))).slice(-40)}`)
}

/** Compares the positions with the liquidity that the pool itself gives at its price. */
async function assertComplete(
  call: Call,
  { stateView }: Recording['contracts'],
  { pool, positions }: Readonly<{ pool: OraclePool; positions: readonly HeldPosition[] }>,
): Promise<void> {
  const [slot0, liquidity] =
    pool.dex === 'v4'
      ? [
          await call(stateView, selectors.getSlot0 + wordOf(pool.id)),
          await call(stateView, selectors.getLiquidity + wordOf(pool.id)),
        ]
      : [await call(pool.id, selectors.v3Slot0), await call(pool.id, selectors.v3Liquidity)]
  const tick = Number(BigInt.asIntN(24, numberIn(slot0, 1)))
  const active = positions.filter(({ lower, upper }) => lower <= tick && tick < upper)
  const sum = active.reduce((total, position) => total + BigInt(position.liquidity), 0n)
  assert.equal(sum, numberIn(liquidity), `a position of ${pool.id} was overlooked`)
}
