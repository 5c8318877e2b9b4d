/**
 * Issues and checks passes. The holder of a pass may read the stream until the pass expires. Passes are not stored,
 * because the signature of a pass proves that it is valid.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EpochMs } from '../../schemas/units.ts'

/** `id` is a keyed hash of the payment's id, so a pass does not reveal the payment. A repeated payment gives the same pass. */
export type Pass = Readonly<{ id: string; expiresAtMs: EpochMs }>

export type Passes = Readonly<{
  /** Returns the token of a pass. It depends only on the arguments and the secret. */
  tokenFor(sale: Readonly<{ paymentId: string; issuedAtMs: EpochMs; expiresAtMs: EpochMs }>): string
  /** Returns the pass of a token, or null if the token was not issued with this secret or has expired. */
  read(token: string, nowMs: EpochMs): Pass | null
}>

/**
 * The form of a token: `p1.<id>.<issued>.<expires>.<signature>`. The instants are in base 36, and no character needs
 * escaping in a URL.
 */
export const tokenPattern = /^(p1\.([\w-]{22})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11}))\.([\w-]{43})$/

/** Creates the passes of a secret. Processes with the same secret accept each other's tokens. */
export function createPasses(secret: string): Passes {
  const signatureOf = (text: string): Buffer => createHmac('sha256', secret).update(`stream pass ${text}`).digest()
  const idOf = (paymentId: string): string =>
    createHmac('sha256', secret).update(`stream pass id ${paymentId}`).digest('base64url').slice(0, 22)

  return {
    tokenFor({ paymentId, issuedAtMs, expiresAtMs }) {
      const claims = `p1.${idOf(paymentId)}.${issuedAtMs.toString(36)}.${expiresAtMs.toString(36)}`
      return `${claims}.${signatureOf(claims).toString('base64url')}`
    },
    read(token, nowMs) {
      const [, claims = '', id = '', , expires = '', signature = ''] = tokenPattern.exec(token) ?? []
      if (claims === '') return null
      if (!timingSafeEqual(signatureOf(claims), Buffer.from(signature, 'base64url'))) return null
      const expiresAtMs = Number.parseInt(expires, 36)
      return expiresAtMs > nowMs ? { id, expiresAtMs } : null
    },
  }
}
