/**
 * Scripts the transactions of the fake chain's mints. The order is fixed, because the reserves in a trade
 * follow from the earlier trades of the mint.
 */
import { base58 } from '@scure/base'
import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import { createRandom, type Random } from '../../../../ingest/simulated/random.ts'
import type { ChainBEvent } from '../../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildHash } from '../../builders/build-facts.ts'
import { buildKey } from '../build-facts.ts'
import { pumpAddress, pumpSwapAddress } from '../encode-events.ts'
import { ScriptedCurve } from '../scripted-curve.ts'

/** The addresses are in base58. `mint` is the key of the facts. */
export type ScriptedMint = Readonly<{ mint: string; curve: string; pool: string; creator: Hex }>

export type ScriptedTransaction = Readonly<{
  mint: ScriptedMint
  facts: readonly ChainBEvent[]
  /** The addresses in the transaction. */
  names: readonly string[]
  /** True if the transaction failed. A failed transaction has no events. */
  isFailed?: boolean
  /** True if the transaction disappears when its block is replaced. */
  isLost?: boolean
}>

const textOf = (hex: Hex): string => base58.encode(Buffer.from(hex.slice(2), 'hex'))
const bytesOf = (text: string) => Uint8Array.from(getAddressEncoder().encode(address(text)))

async function mintAt(seed: number, index: number): Promise<ScriptedMint> {
  const mint = textOf(buildHash(0x1000_0000 + seed * 1000 + index))
  const [curve] = await getProgramDerivedAddress({
    programAddress: address(pumpAddress),
    seeds: ['bonding-curve', bytesOf(mint)],
  })
  return { mint, curve, pool: textOf(buildKey(0x2000 + index)), creator: buildKey(0x3000 + index) }
}

const hexOf = (text: string): Hex => `0x${Buffer.from(base58.decode(text)).toString('hex')}`

/**
 * Scripts the history of one mint: a launch and trades. Half of the mints graduate, so their later trades are
 * in a pool.
 */
function livesOf(mint: ScriptedMint, random: Random): readonly ScriptedTransaction[] {
  const terms = { curve: hexOf(mint.curve), pool: hexOf(mint.pool), isMayhem: false, quoteMint: null }
  const curve = new ScriptedCurve({ ...terms, virtualQuoteRaw: 30_000_000_000n }, mint.creator)
  const said: ScriptedTransaction[] = []
  const say = (...names: readonly string[]) => {
    const facts = curve.facts.splice(0).map(({ fact }) => fact as ChainBEvent)
    if (facts.length > 0) said.push({ mint, facts, names })
  }
  const trade = () => {
    const trader = buildKey(0x9000 + random.whole(0, 20))
    if (random.chance(0.7)) curve.buy(0, 0.2 + random.unit() * 3, trader)
    else curve.sell(0, random.unit(), trader)
  }
  curve.launch(0)
  trade()
  say(pumpAddress, mint.curve)
  for (let count = random.whole(4, 18); count > 0; count--) {
    trade()
    if (random.chance(0.3)) trade()
    say(pumpAddress, mint.curve)
  }
  if (random.chance(0.5)) return said
  curve.buy(0, 1000, buildKey(0x9999))
  curve.complete(0)
  say(pumpAddress, mint.curve)
  curve.migrate(0)
  say(pumpAddress, pumpSwapAddress, mint.curve, mint.pool)
  for (let count = random.whole(5, 15); count > 0; count--) {
    curve.poolTrade(0, (random.chance(0.6) ? 1 : -1) * (0.001 + random.unit() / 50))
    say(pumpSwapAddress, mint.pool)
  }
  return said
}

const mintCount = 14

/** Returns all transactions of the script. The transactions of different mints are mixed. */
export async function scriptOf(seed: number): Promise<readonly ScriptedTransaction[]> {
  const random = createRandom(seed, 50)
  const mints = await Promise.all(Array.from({ length: mintCount }, (_, index) => mintAt(seed, index)))
  const lives = mints.map((mint) => [...livesOf(mint, random)])
  const script: ScriptedTransaction[] = []
  for (let living = lives; living.length > 0; living = living.filter((life) => life.length > 0)) {
    const life = living[random.whole(0, Math.min(4, living.length) - 1)] ?? []
    const next = life.shift()
    if (!next) continue
    if (random.chance(0.1)) script.push({ ...next, isFailed: true })
    script.push(next)
  }
  return script
}

/**
 * Builds a launch and a buy in one transaction, which disappears if its block is replaced. Clients never
 * request this curve.
 */
export function lostLaunch(seed: number, index: number): ScriptedTransaction {
  const [mint, curve] = [0x1000_0000 + seed * 1000 + 500, 0x7000_0000].map((first) => textOf(buildHash(first + index)))
  const addresses = { mint: mint ?? '', curve: curve ?? '', pool: textOf(buildKey(0x8000 + index)) }
  const [launch] = livesOf({ ...addresses, creator: buildKey(0x4000 + index) }, createRandom(seed, 51, index))
  if (!launch) throw new RangeError('a life begins with a launch')
  return { ...launch, isLost: true }
}
