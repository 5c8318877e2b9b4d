/** Verifies a signed answer: its body, the signature over its status, headers and URL, and the time of the key. */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { isSignatureError, type VerifiedSignature, type Verifier, verifySignature } from 'http-message-sig'
import { coveredAlways, cutComponent, signatureAlgorithm, signatureTag } from '../../../schemas/signed-answers.ts'
import { dictionaryIn, signatureMembersIn } from '../../signature-headers.ts'
import type { VerifyingKey, VerifyingKeys } from './read-keys.ts'
import type { SavedAnswer } from './saved-answer.ts'

export type Verified = Readonly<{
  keyId: string
  createdSec: number
  nonce: string | null
  /** The covered components as the signature lists them. */
  covered: readonly string[]
  /** Null for a refusal. */
  cutAtMs: number | null
  bodySha256: string
}>

/** What is wrong, and what to do. */
export type Fault = Readonly<{ fault: string }>

type Verifying = Readonly<{ answer: SavedAnswer; url: URL; keys: VerifyingKeys; nowSec: number }>

/** How far the clock of this machine may be behind that of the service. */
const clockSkewSec = 300

export async function verifyAnswer({ answer, url, keys, nowSec }: Verifying): Promise<Verified | Fault> {
  const fieldOf = (name: string) => answer.fields.find((field) => field.name === name)?.value
  const bodyFault = faultOfBody(answer.body, fieldOf)
  if (bodyFault !== null) return bodyFault
  const found = signatureIn(fieldOf('signature-input'))
  if (found === null)
    return { fault: `the header Signature-Input has no signature with the tag "${signatureTag}". Nothing is proved` }
  const key = keys.get(found.keyId)
  if (key === undefined)
    return { fault: `the key ${found.keyId} is not among the keys of the service. Read the keys again (--keys)` }
  const verified = await checkSignature({ answer, url, label: found.label, key, nowSec })
  if ('fault' in verified) return verified
  const { created = 0, nonce = null } = verified.parameters
  const cut = verified.components.some(({ name }) => name === cutComponent.name)
    ? fieldOf(cutComponent.name)
    : undefined
  return (
    faultOfTime(created, key) ?? {
      ...{ keyId: found.keyId, createdSec: created, nonce },
      covered: verified.components.map(({ name, parameters }) => (parameters.req === true ? `${name};req` : name)),
      cutAtMs: cut === undefined ? null : Number(cut),
      bodySha256: createHash('sha256').update(answer.body).digest('hex'),
    }
  )
}

function faultOfBody(body: Buffer, fieldOf: (name: string) => string | undefined): Fault | null {
  const [signature, digest] = [fieldOf('signature'), fieldOf('content-digest')]
  if (signature === undefined || digest === undefined)
    return { fault: 'the answer is not signed. Send the header "Accept-Signature: sig1=()" with the payment' }
  const [expected] = dictionaryIn(digest).get('sha-256') ?? []
  if (!(expected instanceof ArrayBuffer)) return { fault: 'the header Content-Digest has no sha-256. It was changed' }
  if (createHash('sha256').update(body).digest().equals(Buffer.from(expected))) return null
  const encoding = fieldOf('content-encoding')
  const hint = encoding === undefined ? '' : `. It is compressed (${encoding}): save the answer without compression`
  return { fault: `the body is not the one that was signed: its SHA-256 is not that of Content-Digest${hint}` }
}

/** Returns the signature of the service. Other parties, such as a proxy, may have added signatures. */
function signatureIn(input = ''): Readonly<{ label: string; keyId: string }> | null {
  for (const [label, [, parameters]] of signatureMembersIn(input))
    if (parameters.get('tag') === signatureTag) return { label, keyId: String(parameters.get('keyid')) }
  return null
}

type Checking = Readonly<{ answer: SavedAnswer; url: URL; label: string; key: VerifyingKey; nowSec: number }>

async function checkSignature({ answer, url, label, key, nowSec }: Checking): Promise<VerifiedSignature | Fault> {
  const request = { kind: 'request', method: 'GET', targetUri: url.href, fields: [] } as const
  try {
    return await verifySignature(
      { kind: 'response', status: answer.status, fields: answer.fields, request },
      {
        label,
        policy: {
          algorithms: [signatureAlgorithm],
          requiredComponents: [...coveredAlways, ...(answer.status === 200 ? [cutComponent] : [])],
          requiredParameters: ['created', 'keyid', 'tag'],
          ...{ now: nowSec, clockSkew: clockSkewSec },
        },
        resolveVerifier: () => verifierOf(key),
      },
    )
  } catch (error) {
    if (!isSignatureError(error)) throw error
    if (error.code !== 'VerificationFailed') return { fault: `the signature cannot be accepted: ${error.message}` }
    return {
      fault: 'the signature does not match. The URL, the status or a covered header is not the one that was signed',
    }
  }
}

function verifierOf({ x }: VerifyingKey): Verifier {
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return { algorithm: signatureAlgorithm, verify: (data, signature) => verify(null, data, publicKey, signature) }
}

function faultOfTime(createdSec: number, { nbf = 0, exp = Number.POSITIVE_INFINITY }: VerifyingKey): Fault | null {
  if (createdSec >= nbf && createdSec <= exp) return null
  return { fault: `the signature is of ${timeOf(createdSec)}, when this key did not sign answers` }
}

export const timeOf = (sec: number): string => new Date(sec * 1000).toISOString().replace('.000Z', 'Z')
