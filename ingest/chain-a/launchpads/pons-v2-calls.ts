import type { Address, Hex } from '../../../schemas/units.ts'
import { addressOf } from '../decode/log-words.ts'
import type { ContractCall, CurveIdentity, CurveTerms, CurveToken } from './launchpad.ts'
import { decodeSymbol } from './token-symbol.ts'

/** Function selectors: the first four bytes of the hash of each signature. A test computes the hashes again. */
export const ponsSelectors = {
  phantomQuote: '0xc57eadfc',
  realQuoteReserve: '0x4f1f58fd',
  graduated: '0xe7c2b772',
  launchedAt: '0xbf56b371',
  token: '0xfc0c546a',
  getLaunchedToken: '0x3cf28b5a',
  totalSupply: '0x18160ddd',
  symbol: '0x95d89b41',
} as const satisfies Record<string, Hex>

export async function readPonsTerms(call: ContractCall, { curve, token }: CurveToken): Promise<CurveTerms | null> {
  const [phantom, supply, symbol] = await Promise.all([
    call(curve, ponsSelectors.phantomQuote),
    call(token, ponsSelectors.totalSupply),
    call(token, ponsSelectors.symbol),
  ])
  const phantomWei = wordAt(phantom, 0)
  const supplyRaw = wordAt(supply, 0)
  if (!phantomWei || !supplyRaw) return null
  return { phantomWei, supplyRaw, symbol: decodeSymbol(symbol) }
}

/**
 * Reads the factory's entry for the token of an address. The address is a curve only if the entry names it, because any contract can log
 * the same events. The entry begins with token, curve, deployer, fee recipient, pair token (zero means ETH) and threshold.
 */
export async function identifyPonsCurve(
  call: ContractCall,
  { factory, curve }: Readonly<{ factory: Address; curve: Address }>,
): Promise<CurveIdentity | null> {
  const token = addressAt(await call(curve, ponsSelectors.token), 0)
  if (!token) return null
  const launch = await call(factory, `${ponsSelectors.getLaunchedToken}${token.slice(2).padStart(64, '0')}`)
  const graduationWei = wordAt(launch, 5)
  if (addressAt(launch, 0) !== token || addressAt(launch, 1) !== curve) return null
  if (wordAt(launch, 4) !== 0n || !graduationWei) return null
  const terms = await readPonsTerms(call, { curve, token })
  const launchedAtSec = wordAt(await call(curve, ponsSelectors.launchedAt), 0)
  const launchAtMs = launchedAtSec ? Number(launchedAtSec) * 1000 : null
  return terms && { ...terms, token, creator: addressAt(launch, 2), graduationWei, launchAtMs }
}

export async function readPonsReserveWei(call: ContractCall, curve: Address): Promise<bigint | null> {
  const [reserve, isComplete] = await Promise.all([
    call(curve, ponsSelectors.realQuoteReserve),
    call(curve, ponsSelectors.graduated),
  ])
  return wordAt(isComplete, 0) === 0n ? wordAt(reserve, 0) : null
}

/** The 32-byte word at an index of the answer. Null if there is no answer, or the answer is too short. */
function wordAt(answer: Hex | null, index: number): bigint | null {
  const text = answer?.slice(2 + index * 64, 66 + index * 64) ?? ''
  return /^[0-9a-f]{64}$/i.test(text) ? BigInt(`0x${text}`) : null
}

function addressAt(answer: Hex | null, index: number): Address | null {
  const word = wordAt(answer, index)
  return word ? addressOf(word) : null
}
