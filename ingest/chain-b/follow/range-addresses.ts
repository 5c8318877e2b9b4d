import { base58OfHex } from '../../../infra/base58.ts'
import type { ChainBAddress, GraduatedPoolAddress, MintAddress } from '../../../schemas/chain-b/addresses.ts'
import { curveLifeMs } from '../../../schemas/chain-b/mint-life.ts'
import type { Address, EpochMs } from '../../../schemas/units.ts'
import type { KnownPool } from '../decode/decoded-event.ts'
import { isCurveAlive, isPoolAlive } from '../lives.ts'
import type { KnownMints } from '../types.ts'

/**
 * The address book while a range of slots is decoded. It contains the recorded entries and the new entries of
 * the range.
 */
export type RangeAddresses = Readonly<{
  isKnown(mint: Address, atMs: EpochMs): boolean
  poolOf(pool: Address, atMs: EpochMs): KnownPool | undefined
  learn(address: ChainBAddress): void
  /** Call this for every trade of a mint. Renews the mint's entry if it is older than `renewAfterMs`. */
  seen(mint: Address, atMs: EpochMs): void
  newAddresses(): readonly ChainBAddress[]
  staleAddresses(): readonly string[]
}>

/**
 * The minimum age at which an entry is renewed, in milliseconds. This is a quarter of the time for which a
 * curve without trades is followed. An entry therefore expires between 18 and 24 hours after the mint's last
 * trade.
 */
const renewAfterMs = curveLifeMs / 4

/**
 * `publishFrom` is the first slot of the range. After a crash or a reorg, the address book may contain mints
 * and pools of this slot or later slots. Such an entry does not count until the range adds it again.
 */
export function createRangeAddresses({ mints, pools, followed }: KnownMints, publishFrom: number): RangeAddresses {
  const newMints = new Map<string, MintAddress>()
  const newPools = new Map<string, GraduatedPoolAddress>()
  const isMintPublished = ({ sinceSlot }: MintAddress) => sinceSlot < publishFrom
  const isPoolPublished = ({ migratedSlot }: GraduatedPoolAddress) => migratedSlot < publishFrom
  const mintOf = (mint: Address) => newMints.get(mint) ?? published(mints.get(mint), isMintPublished)
  return {
    isKnown(mint, atMs) {
      const known = mintOf(mint)
      return known !== undefined && isCurveAlive(known.seenAtMs, atMs)
    },
    poolOf(pool, atMs) {
      const known = newPools.get(pool) ?? published(pools.get(pool), isPoolPublished)
      if (!known || !isPoolAlive(known, atMs, followed)) return undefined
      return { key: base58OfHex(known.mint), quoteMint: known.quoteMint }
    },
    learn(address) {
      if (address.type === 'MintAddress') newMints.set(address.data.mint, address.data)
      else newPools.set(address.data.pool, address.data)
    },
    seen(mint, atMs) {
      const known = mintOf(mint)
      if (known && atMs - known.seenAtMs >= renewAfterMs) newMints.set(mint, { ...known, seenAtMs: atMs })
    },
    newAddresses: () => [
      ...[...newMints.values()].map((data) => ({ type: 'MintAddress', data }) as const),
      ...[...newPools.values()].map((data) => ({ type: 'GraduatedPoolAddress', data }) as const),
    ],
    staleAddresses: () => [
      ...[...mints.values()].flatMap((each) => (isMintPublished(each) || newMints.has(each.mint) ? [] : [each.mint])),
      ...[...pools.values()].flatMap((each) => (isPoolPublished(each) || newPools.has(each.pool) ? [] : [each.pool])),
    ],
  }
}

const published = <Entry>(entry: Entry | undefined, isPublished: (entry: Entry) => boolean): Entry | undefined =>
  entry !== undefined && isPublished(entry) ? entry : undefined
