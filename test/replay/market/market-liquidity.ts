/**
 * Builds the liquidity facts of a test pool. NFTs are minted, transferred and burned. Contracts add
 * liquidity, and some positions are emptied or replaced.
 */
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import { buildAddress, buildHash } from '../../support/builders/build-facts.ts'
import {
  addToNft,
  burnNft,
  changeByContract,
  deadAddress,
  mintNft,
  removeFromNft,
  transferNft,
} from '../../support/builders/build-positions.ts'
import type { Draw } from './draw.ts'
import type { MarketEvent } from './market-event.ts'

type Opened = Readonly<{ openedSecond: number; pool: Hex }>

/** Returns the wallet to which an NFT is minted. The creators of the pools are among these wallets. */
export const mintedTo = (id: number): Hex => buildAddress(0xa00 + (id % 5))

type Holdings = Map<number, bigint>
type Place = Readonly<{ pool: Hex; blockAtMs: number }>
/** Builds the facts of one transaction at a block time. */
type Move = (place: Place) => ChainAFact[]

const wide = 10n ** 21n

/** Builds some positions when the pool opens, and then one transaction every few minutes for two hours. */
export function liquidityOf(draw: Draw, { openedSecond, pool }: Opened): MarketEvent[] {
  const holdings: Holdings = new Map()
  const firstId = 1 + draw(1000)
  const events: MarketEvent[] = []
  const schedule = (atSecond: number, move: Move) => {
    const count = move({ pool, blockAtMs: 0 }).length
    for (let index = 0; index < count; index++)
      events.push({ atSecond, make: (blockAtMs) => move({ pool, blockAtMs })[index] as ChainAFact })
  }
  for (let index = 0; index <= draw(3); index++)
    schedule(openedSecond + draw(3), mint(draw, holdings, { id: firstId + index, txHash: hashOf(draw) }))
  for (let at = openedSecond + 60; at < openedSecond + 7200; at += 30 + draw(600)) {
    const move = moveOf(draw, holdings, firstId)
    if (move) schedule(at, move)
  }
  return events
}

/** Draws one transaction. Each call of the returned function gives the same facts with the same hash. */
function moveOf(draw: Draw, holdings: Holdings, firstId: number): Move | null {
  const ids = [...holdings.keys()]
  const id = ids[draw(Math.max(1, ids.length))]
  const what = draw(8)
  const txHash = hashOf(draw)
  const newId = firstId + 10 + draw(1000)
  if (id === undefined || what === 0) return mint(draw, holdings, { id: newId, txHash })
  const before = holdings.get(id) ?? 0n
  if (what === 1) {
    const [to, size] = [draw(2) === 0 ? deadAddress : mintedTo(draw(5)), wide / BigInt(1 + draw(9))]
    holdings.set(id, before + size)
    return (place) => [
      transferNft({ ...place, id, txHash, to }),
      addToNft({ ...place, id, txHash, liquidity: size, txSender: mintedTo(id) }),
    ]
  }
  if (what === 2) {
    const size = wide / BigInt(1 + draw(4))
    return (place) => [changeByContract({ ...place, txHash, txSender: buildAddress(0xb00) }, size)]
  }
  if (what === 3) {
    holdings.delete(id)
    return (place) => burnNft({ ...place, id, txHash, liquidity: before })
  }
  if (what === 4) return (place) => [removeFromNft({ ...place, id, txHash, liquidity: 0n })]
  if (what === 5) {
    const replaced = mint(draw, holdings, { id: newId, txHash })
    holdings.delete(id)
    return (place) => [...burnNft({ ...place, id, txHash, liquidity: before }), ...replaced(place)]
  }
  const taken = (before * BigInt(what === 6 ? 95 : draw(60))) / 100n
  holdings.set(id, before - taken)
  return (place) => [removeFromNft({ ...place, id, txHash, liquidity: taken })]
}

function mint(draw: Draw, holdings: Holdings, { id, txHash }: Readonly<{ id: number; txHash: Hex }>): Move {
  const liquidity = wide * BigInt(1 + draw(5))
  const [tickLower, tickUpper] = draw(3) === 0 ? [190_000, 220_000] : [-887_220, 887_220]
  const to = mintedTo(id)
  holdings.set(id, liquidity)
  return (place) => mintNft({ ...place, id, to, txHash, liquidity, tickLower, tickUpper })
}

const hashOf = (draw: Draw): Hex => buildHash(0x11_0000_0000 + draw(2 ** 31))
