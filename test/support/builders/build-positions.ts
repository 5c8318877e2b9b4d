/**
 * Builds the facts of transactions that change liquidity positions. Most of these transactions use the
 * position manager. In some, another contract changes the liquidity directly.
 */
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

/**
 * Mints an NFT. The sender is `to`, unless `txSender` is given. The transfer comes first, as in the contract.
 */
export function mintNft({ to, ...nft }: Nft & Readonly<{ to: Hex }>): ChainAFact[] {
  const place = { txHash: newTransaction(), txSender: to, ...nft }
  return [transferNft({ ...placeOf(place), id: nft.id, from: zeroAddress, to }), change(place)]
}

export const addToNft = (nft: Nft): ChainAFact => change(nft)

/** Removes liquidity. With a `liquidity` of 0, the transaction only collects fees. */
export const removeFromNft = ({ liquidity, ...nft }: Omit<Nft, 'txSender'>): ChainAFact =>
  change({ ...nft, liquidity: -liquidity })

/** Burns the NFT and removes its remaining liquidity. The transfer comes first, as in the contract. */
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

/**
 * Changes liquidity by a contract that is not the position manager. A negative `liquidity` removes liquidity.
 */
export const changeByContract = (
  fields: Place & Partial<Pick<LiquidityChanged, 'owner' | 'txSender' | 'tickLower' | 'tickUpper'>>,
  liquidity: bigint,
): ChainAFact =>
  buildLiquidityChanged({ liquidityDelta: liquidity, salt: buildHash(0), txSender: buildAddress(0xad), ...fields })
