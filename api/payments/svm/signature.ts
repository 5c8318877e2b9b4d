/** Verifies the payer's signature of a Solana message. Takes only about 0.2 ms, so it comes before all other checks. */
import { createPublicKey, verify } from 'node:crypto'
import type { SvmTransfer } from './transfer.ts'

/** DER prefix of an Ed25519 public key; the key follows it. */
const keyPrefix = Buffer.from('302a300506032b6570032100', 'hex')
/** A payment is read twice per request, and most repeats come soon. */
const knownMax = 1_000

export type SvmSignatureCheck = (transfer: SvmTransfer, signedHash: string) => boolean

/** `signedHash`: hash of the message and the signature. */
export function createSvmSignatureCheck(): SvmSignatureCheck {
  /** Hashes of valid signatures, in the order of their last use. */
  const known = new Set<string>()
  return (transfer, signedHash) => {
    if (!known.delete(signedHash) && !isSigned(transfer)) return false
    known.add(signedHash)
    const [oldest] = known
    if (known.size > knownMax && oldest !== undefined) known.delete(oldest)
    return true
  }
}

function isSigned({ payerKey, messageBytes, signature }: SvmTransfer): boolean {
  try {
    const der = Buffer.concat([keyPrefix, payerKey])
    return verify(null, messageBytes, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
  } catch {
    // An address need not be a point on the curve.
    return false
  }
}
