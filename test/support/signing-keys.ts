/** The keys of signed answers in memory, and a check of signatures by a second library. */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { httpbis } from 'http-message-signatures'
import { type SigningKeys, thumbprintOf } from '../../infra/data-dir/signing-keys.ts'
import type { PublishedKey } from '../../schemas/signed-answers.ts'

/** The time of the signatures in epoch seconds. */
const signedAtSec = 1_790_000_000

export function signingKeysOf(privateKey: KeyObject = generateKeyPairSync('ed25519').privateKey): SigningKeys {
  const { x = '' } = privateKey.export({ format: 'jwk' })
  const id = thumbprintOf(x)
  const published: PublishedKey = { kty: 'OKP', crv: 'Ed25519', x, kid: id, use: 'sig', nbf: signedAtSec }
  return {
    current: async () => ({ id, atSec: signedAtSec, sign: (data) => sign(null, data, privateKey) }),
    published: async () => [published],
  }
}

type Received = Readonly<{ url: string; status: number; headers: Headers; body: Buffer }>

/**
 * Verifies the signature with `http-message-signatures`, which shares no code with the library that signs, except the
 * parser of structured headers. Returns false if the body or anything that the signature covers is not as signed.
 */
export async function isSignedBy(keys: readonly PublishedKey[], { url, status, headers, body }: Received) {
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  if (headers.get('content-digest') !== digest) return false
  const verified = await httpbis.verifyMessage(
    {
      requiredParams: ['created', 'keyid', 'alg', 'tag'],
      requiredFields: ['@status', 'content-digest', '@method', '@path', '@query'],
      notAfter: new Date(8.64e15),
      keyLookup: async ({ keyid }) => {
        const found = keys.find(({ kid }) => kid === keyid)
        if (found === undefined) return null
        const key = createPublicKey({ key: { ...found }, format: 'jwk' })
        return {
          ...{ id: found.kid, algs: ['ed25519'] },
          verify: async (data: Buffer, signature: Buffer) => verify(null, data, key, signature),
        }
      },
    },
    { status, headers: Object.fromEntries(headers) },
    { method: 'GET', url, headers: {} },
  )
  return verified === true
}
