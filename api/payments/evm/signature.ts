/** Verifies EIP-3009 signatures without the facilitator. */
import { type Address, type Hex, hashTypedData, type PublicClient, recoverAddress } from 'viem'
import { createRecentCounts } from '../../recent-counts.ts'
import type { Signer } from '../payment-network.ts'
import { askContractSigner, type Unwrapped, unwrapSignature } from './contract-signature.ts'

/** `name` and `version` belong to the token's EIP-712 domain. A wrong value makes every signature invalid. */
export type Stablecoin = Readonly<{ address: Address; name: string; version: string }>

export type Authorization = Readonly<{
  from: string
  to: string
  value: string
  validAfter: string
  validBefore: string
  nonce: string
}>

/**
 * Bounds of a key's signature as 64 lower-case hex digits: the order of the curve secp256k1, and half of it. Texts of
 * the same length are compared, because numbers of 256 bits cost more.
 */
const curveOrder = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const halfOfOrder = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0'
const zero = '0'.repeat(64)

/** Whether the token could accept these bytes as a signature of any signer, a key or a contract. */
export function isPossibleSignature(text: string): boolean {
  const unwrapped = unwrapSignature(text)
  return unwrapped !== null && (!isOfKey(unwrapped.signature) || isPossibleOfKey(unwrapped.signature))
}

/**
 * Whether the signature has the length of a key's signature: `0x` and 65 bytes. Facilitators and the token also read a
 * contract's signature of this length as r, s and v.
 */
const isOfKey = (signature: string): boolean => signature.length === 132

/**
 * Whether the token could accept a key's signature: r and s are below the curve's order, s is in the lower half, and v
 * is 27 or 28. Facilitators pass v on unchanged, and the token rejects 0 and 1.
 */
function isPossibleOfKey(signature: string): boolean {
  const r = signature.slice(2, 66)
  const s = signature.slice(66, 130)
  const v = signature.slice(130)
  return r > zero && r < curveOrder && s > zero && s <= halfOfOrder && (v === '1b' || v === '1c')
}

const transferTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

type Node = Pick<PublicClient, 'getCode' | 'call'>

const askedAtOnceMax = 4

/**
 * Creates the function that determines who signed an authorization. The result is `other` if all of these are
 * true:
 * - The payer's key did not sign.
 * - No contract at the payer's address accepts the signature.
 * - The signature does not deploy a contract that could accept it.
 */
export function createSignerCheck(
  node: Node,
  token: Readonly<{ chainId: number; stablecoin: Stablecoin; nowMs?: () => number }>,
): (signature: string, authorization: Authorization) => Promise<Signer> {
  const { nowMs = Date.now } = token
  const withoutCode = createRecentCounts({ generationMs: 30_000, nowMs, keysMax: 5_000 })
  let askedAtOnce = 0

  const askNode = async (address: Address, { hash, signature, deploys }: Signed): Promise<Signer> => {
    if ((await node.getCode({ address })) !== undefined)
      return askContractSigner(node, { contract: address, hash, signature })
    // If the signature deploys a contract, the address may soon have code. So the address is not added to
    // `withoutCode`.
    if (!deploys) withoutCode.add(address)
    return withoutContract(deploys)
  }
  return async (text, authorization) => {
    const from = authorization.from.toLowerCase() as Address
    const unwrapped = unwrapSignature(text)
    if (unwrapped === null) return 'other'
    const signed = { ...unwrapped, hash: hashTransfer(authorization, token) }
    if (await isSignedByKey(from, signed)) return 'payer'
    if (withoutCode.count(from) > 0) return withoutContract(signed.deploys)
    if (askedAtOnce >= askedAtOnceMax) return 'unknown'
    askedAtOnce += 1
    try {
      return await askNode(from, signed)
    } catch {
      return 'unknown'
    } finally {
      askedAtOnce -= 1
    }
  }
}

type Signed = Unwrapped & Readonly<{ hash: Hex }>

/**
 * Returns the result for an address without code. If the signature deploys a contract, only the facilitator
 * can decide. Only the facilitator knows which factories may deploy.
 */
const withoutContract = (deploys: boolean): Signer => (deploys ? 'unknown' : 'other')

async function isSignedByKey(from: Address, { hash, signature }: Signed): Promise<boolean> {
  if (!isOfKey(signature)) return false
  const signer = await recoverAddress({ hash, signature }).catch(() => null)
  return signer?.toLowerCase() === from
}

function hashTransfer(
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
  { chainId, stablecoin }: Readonly<{ chainId: number; stablecoin: Stablecoin }>,
): Hex {
  const { name, version, address: verifyingContract } = stablecoin
  return hashTypedData({
    domain: { name, version, chainId, verifyingContract },
    types: transferTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: from.toLowerCase() as Address,
      to: to.toLowerCase() as Address,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
  })
}
