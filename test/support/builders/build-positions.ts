/** What a transaction of the position manager leaves in the log, and one of a contract that adds by itself. */
import type { ChainAFact, LiquidityChanged, PositionTransferred } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import { buildAddress, buildHash, buildLiquidityChanged, buildPositionTransferred } from './build-facts.ts'

export const zeroAddress = buildAddress(0)
export const deadAddress = buildAddress(0xdead)

type Place = Partial<Pick<LiquidityChanged, 'pool' | 'blockAtMs' | 'blockNumber' | 'blockHash' | 'txHash'>>
type Nft = Place &
  Partial<Pick<LiquidityChanged, 'tickLower' | 'tickUpper' | 'txSender'>> &
  Readonly<{ id: number; liquidity: bigint }>

const positionManager = buildAddress(0x90)

let transactions = 0
const newTransaction = (): Hex => buildHash(0xadd0_0000_0000 + transactions++)

function change({ id, liquidity, ...fields }: Nft): ChainAFact {
  const positionId = buildHash(id)
  return buildLiquidityChanged({
    owner: positionManager,
    salt: positionId,
    positionId,
    liquidityDelta: liquidity,
    ...fields,
  })
}

/** `to` is the sender too unless `txSender` says otherwise. The transfer stands first, as in the contract. */
export function mintNft({ to, ...nft }: Nft & Readonly<{ to: Hex }>): ChainAFact[] {
  const place = { txHash: newTransaction(), txSender: to, ...nft }
  return [transferNft({ ...placeOf(place), id: nft.id, from: zeroAddress, to }), change(place)]
}

export const addToNft = (nft: Nft): ChainAFact => change(nft)

/** A poke where `liquidity` is 0. */
export const removeFromNft = ({ liquidity, ...nft }: Omit<Nft, 'txSender'>): ChainAFact =>
  change({ ...nft, liquidity: -liquidity })

/** With the liquidity it has left, if any: the transfer stands first. */
export function burnNft(nft: Omit<Nft, 'txSender'>): ChainAFact[] {
  const place = { txHash: newTransaction(), ...nft }
  const transfer = transferNft({ ...placeOf(place), id: nft.id, to: zeroAddress })
  return nft.liquidity === 0n ? [transfer] : [transfer, removeFromNft(place)]
}

export const transferNft = ({
  id,
  ...fields
}: Place & Partial<Pick<PositionTransferred, 'from' | 'to'>> & Readonly<{ id: number }>): ChainAFact =>
  buildPositionTransferred({ positionId: buildHash(id), ...fields })

function placeOf(place: Place): Place {
  const { pool, blockAtMs, blockNumber, blockHash, txHash } = place
  return Object.fromEntries(
    Object.entries({ pool, blockAtMs, blockNumber, blockHash, txHash }).filter(([, value]) => value !== undefined),
  )
}

/** Adds (> 0) or removes by a contract that is not the position manager. */
export const changeByContract = (
  fields: Place & Partial<Pick<LiquidityChanged, 'owner' | 'txSender' | 'tickLower' | 'tickUpper'>>,
  liquidity: bigint,
): ChainAFact =>
  buildLiquidityChanged({ liquidityDelta: liquidity, salt: buildHash(0), txSender: buildAddress(0xad), ...fields })
