/** What can be said of an EIP-3009 signature without the facilitator. */
import { type Address, type Hex, type PublicClient, recoverTypedDataAddress } from 'viem'
import { createRecentCounts } from '../recent-counts.ts'
import type { Signer } from './payment-network.ts'

/** Name and version are those of the token's EIP-712 domain: a wrong one makes every signature invalid. */
export type Stablecoin = Readonly<{ address: Address; name: string; version: string }>

export type Authorization = Readonly<{
  from: string
  to: string
  value: string
  validAfter: string
  validBefore: string
  nonce: string
}>

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Whether the token could take these 65 bytes of anybody: r and s lie on the curve's order, s in its lower half, v is 27 or
 * 28. Facilitators pass v on as it is, and the token knows no 0 and 1.
 */
export function isPossibleSignature(signature: string): boolean {
  const r = BigInt(signature.slice(0, 66))
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.slice(130).toLowerCase()
  return r > 0n && r < curveOrder && s > 0n && s <= curveOrder / 2n && (v === '1b' || v === '1c')
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

const codeAskedAtOnceMax = 4

/** `other`: somebody else signed, and no contract stands at the payer's address that could take such a signature. */
export function createSignerCheck(
  node: Pick<PublicClient, 'getCode'>,
  token: Readonly<{ chainId: number; stablecoin: Stablecoin; nowMs?: () => number }>,
): (signature: string, authorization: Authorization) => Promise<Signer> {
  const { chainId, stablecoin, nowMs = Date.now } = token
  const { name, version, address: verifyingContract } = stablecoin
  const withoutCode = createRecentCounts({ generationMs: 30_000, nowMs, keysMax: 5_000 })
  let askedAtOnce = 0

  const hasNoCode = async (address: Address): Promise<boolean> => {
    if (withoutCode.count(address) > 0) return true
    if (askedAtOnce >= codeAskedAtOnceMax) return false
    askedAtOnce += 1
    try {
      if ((await node.getCode({ address })) !== undefined) return false
      withoutCode.add(address)
      return true
    } catch {
      return false
    } finally {
      askedAtOnce -= 1
    }
  }
  return async (signature, authorization) => {
    const from = authorization.from.toLowerCase() as Address
    const signer = await recoverTypedDataAddress({
      domain: { name, version, chainId, verifyingContract },
      types: transferTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        from,
        to: authorization.to.toLowerCase() as Address,
        value: BigInt(authorization.value),
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore),
        nonce: authorization.nonce as Hex,
      },
      signature: signature as Hex,
    }).catch(() => null)
    if (signer?.toLowerCase() === from) return 'payer'
    return (await hasNoCode(from)) ? 'other' : 'unknown'
  }
}
