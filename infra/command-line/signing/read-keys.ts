/** Reads the public keys of signed answers from a service, or from a file with a saved key directory. */
import { z } from 'zod'
import { thumbprintOf } from '../../data-dir/signing-keys.ts'
import { OperationError } from '../../errors.ts'
import { textOfResponse } from '../../text-of-response.ts'
import { readAtMost } from './read-at-most.ts'

export type VerifyingKey = Readonly<{ x: string; nbf?: number | undefined; exp?: number | undefined }>

/** The keys by their thumbprints. */
export type VerifyingKeys = ReadonlyMap<string, VerifyingKey>

/** About 6,000 keys. */
const directoryBytesMax = 1024 * 1024
const answerMsMax = 10_000

const directorySchema = z.object({ keys: z.array(z.unknown()) })

const epochSec = z.int().min(0).optional()

const keySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  nbf: epochSec,
  exp: epochSec,
})

/** `place`: a URL, or the name of a file. Fails with `nothing_found` if there are no keys. */
export async function readKeys(place: string, signal: AbortSignal): Promise<VerifyingKeys> {
  const text = /^https?:/.test(place)
    ? await fetchText(place, signal)
    : (await readAtMost(place, directoryBytesMax)).toString()
  const directory = directorySchema.safeParse(jsonOf(text))
  if (!directory.success) throw noKeys(place, 'has no key directory')
  // A directory may also have keys for other algorithms. They sign no answers.
  const keys = directory.data.keys.flatMap((key) => keySchema.safeParse(key).data ?? [])
  if (keys.length === 0) throw noKeys(place, 'has no Ed25519 key')
  // The names of keys are computed, so that a directory cannot give a key the name of another one.
  return new Map(keys.map((key) => [thumbprintOf(key.x), key]))
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
  }).catch((cause: unknown) => {
    throw noKeys(url, 'does not answer', cause)
  })
  if (response.status !== 200) throw noKeys(url, `answers ${response.status}`)
  const text = await textOfResponse(response, directoryBytesMax)
  if (text === null) throw noKeys(url, `is longer than ${directoryBytesMax} bytes`)
  return text
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const noKeys = (place: string, fault: string, cause?: unknown): OperationError =>
  new OperationError(
    'nothing_found',
    `${place} ${fault}. Set --keys to the key directory of the service, or to a file with a copy of it`,
    { cause },
  )
