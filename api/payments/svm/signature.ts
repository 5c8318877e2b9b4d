/** Whether the payer signed a Solana message. It takes some 0.2 ms, so it is found out before anything else. */
import { createPublicKey, verify } from 'node:crypto'
import type { SvmTransfer } from './transfer.ts'

/** The DER of an Ed25519 key is these bytes and the key. */
const keyPrefix = Buffer.from('302a300506032b6570032100', 'hex')
/** A payment is read twice a request, and most repeats come soon. */
const knownMax = 1_000

export type SvmSignatureCheck = (transfer: SvmTransfer, signedHash: string) => boolean

/** `signedHash`: of the message and the signature. */
export function createSvmSignatureCheck(): SvmSignatureCheck {
  /** Right ones, in the order of their use. */
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
    // An address need not be a point of the curve.
    return false
  }
}
