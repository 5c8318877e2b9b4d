/**
 * The Ed25519 keys with which the service signs answers, and their rotation. A new key is published some minutes before
 * it signs, so that caches of the public keys have it in time. The public keys of all earlier keys stay published,
 * because a buyer may verify an old answer at any time.
 */
import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { PublishedKey } from '../../schemas/signed-answers.ts'
import {
  createSigningKeys,
  newKey,
  readSigningKeys,
  replaceSigningKeys,
  type StoredKey,
  type StoredKeys,
  signingKeyFile,
} from './signing-key-file.ts'

export type SigningKeys = Readonly<{
  /** Returns the key that signs now. */
  current(): Promise<CurrentKey>
  /** Returns all public keys, the newest first. */
  published(): Promise<readonly PublishedKey[]>
}>

export type CurrentKey = Readonly<{
  /** The thumbprint of the public key (RFC 7638). */
  id: string
  /** The time of the clock that decided which key signs, in epoch seconds. */
  atSec: number
  sign(data: Uint8Array): Uint8Array
}>

type Opening = Readonly<{ dataDir: string; nowMs: () => number }>

/** The time after which a process reads the file again. Another process may have replaced the keys. */
const rereadMs = 5_000

/**
 * A replaced key may sign for this time after its successor has begun, because another process may not yet know the
 * successor, or its clock may be behind.
 */
const overlapMs = 60_000

/** Opens the keys of the data directory. The first call for a directory makes the first key. */
export async function openSigningKeys({ dataDir, nowMs }: Opening): Promise<SigningKeys> {
  const file = signingKeyFile(dataDir)
  let keys = await firstKeys(file, nowMs)
  let readAtMs = nowMs()
  const privateKeys = new Map<string, KeyObject>()

  const known = async (): Promise<StoredKeys> => {
    if (nowMs() - readAtMs < rereadMs) return keys
    readAtMs = nowMs()
    // If the file cannot be read, the service keeps signing with the keys that it has. The next start reports the damage.
    keys = (await readSigningKeys(file).catch(() => null)) ?? keys
    return keys
  }
  return {
    async current() {
      const stored = keyAt(await known(), nowMs())
      const privateKey = privateKeys.get(stored.x) ?? privateKeyOf(stored)
      privateKeys.set(stored.x, privateKey)
      return {
        id: thumbprintOf(stored.x),
        atSec: Math.floor(nowMs() / 1000),
        sign: (data) => sign(null, data, privateKey),
      }
    },
    published: async () => (await known()).map(publishedKey).reverse(),
  }
}

async function firstKeys(file: string, nowMs: () => number): Promise<StoredKeys> {
  const found = await readSigningKeys(file)
  if (found !== null) return found
  await createSigningKeys(file, [newKey(nowMs())])
  return (await readSigningKeys(file)) ?? firstKeys(file, nowMs)
}

/** The last key that may sign at this time. If the clock is before the first key, the first key with a private key. */
function keyAt(keys: StoredKeys, atMs: number): StoredKey {
  const usable = keys.filter(({ d }) => d !== undefined)
  const [first] = usable
  if (first === undefined) throw new TypeError('a file without a private key is not accepted')
  return usable.findLast(({ fromMs }) => fromMs <= atMs) ?? first
}

const privateKeyOf = ({ x, d = '' }: StoredKey): KeyObject =>
  createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' })

const publishedKey = ({ x, fromMs, untilMs }: StoredKey): PublishedKey => ({
  ...{ kty: 'OKP', crv: 'Ed25519', x, kid: thumbprintOf(x), use: 'sig', nbf: Math.floor(fromMs / 1000) },
  ...(untilMs === null ? {} : { exp: Math.ceil(untilMs / 1000) }),
})

/** Returns the thumbprint of an Ed25519 key: the SHA-256 of its required members in the order of their names (RFC 7638). */
export const thumbprintOf = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')

type Rotating = Opening &
  Readonly<{
    /** The time until the new key signs. */
    afterMs: number
    /** Whether the earlier keys are no longer published, because somebody else may have a private key. */
    revokes: boolean
  }>

export type Rotated = Readonly<{ id: string; fromMs: number; publishedCount: number }>

/** Makes a new key. The running service uses it without a restart. */
export async function rotateSigningKey({ dataDir, nowMs, afterMs, revokes }: Rotating): Promise<Rotated> {
  const atMs = nowMs()
  const next = newKey(revokes ? atMs : atMs + afterMs)
  const replaced = await replaceSigningKeys(signingKeyFile(dataDir), (keys) => {
    // Without an earlier key, no client waits for the new key in its cache.
    if (keys === null || revokes) return [{ ...next, fromMs: atMs }]
    return [...keys.map((key) => retired(key, { atMs, untilMs: next.fromMs + overlapMs })), next]
  })
  const { x, fromMs } = replaced.at(-1) ?? next
  return { id: thumbprintOf(x), fromMs, publishedCount: replaced.length }
}

/** Ends a key that no other key has replaced. Removes the private key of a key that has ended before. */
function retired(key: StoredKey, { atMs, untilMs }: Readonly<{ atMs: number; untilMs: number }>): StoredKey {
  if (key.untilMs === null) return { ...key, untilMs }
  const { d: _, ...withoutPrivate } = key
  return key.untilMs < atMs ? withoutPrivate : key
}
