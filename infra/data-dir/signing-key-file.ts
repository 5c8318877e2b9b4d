/**
 * The file with the Ed25519 keys that sign answers. It is in the folder of the secrets, so a backup contains it. The
 * file is only replaced as a whole, so a reader never sees a part of it.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { OperationError } from '../errors.ts'
import { syncFolder } from './sync-folder.ts'

const bytes32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

/** `x`: the public key. `d`: the private key. It is removed when the key has been replaced. */
const keySchema = z.strictObject({
  x: bytes32,
  d: bytes32.optional(),
  fromMs: z.int().min(0),
  /** Null if no other key replaces this key. */
  untilMs: z.int().min(0).nullable(),
})

const fileSchema = z.strictObject({
  format: z.literal(1),
  /** The newest key is last. */
  keys: z.array(keySchema).min(1),
})

export type StoredKey = Readonly<z.infer<typeof keySchema>>

/** The newest key is last, and it has its private key. */
export type StoredKeys = readonly StoredKey[]

export const signingKeyFile = (dataDir: string): string => join(dataDir, 'secrets', 'signing-keys')

export function newKey(fromMs: number): StoredKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { x, d, fromMs, untilMs: null }
}

/** Fails with `folder_unusable` if the file is damaged. Returns null if there is no file. */
export async function readSigningKeys(file: string): Promise<StoredKeys | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const parsed = fileSchema.safeParse(jsonOf(text))
  if (parsed.success && isPair(parsed.data.keys.at(-1))) return parsed.data.keys
  // The content is not shown, because it has private keys.
  throw new OperationError(
    'folder_unusable',
    `${file} is damaged. Restore it from a backup. If there is no backup, delete it. The service then makes a new key, and nobody can verify the answers that were signed before`,
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Whether the private key belongs to the public key. */
function isPair(key: StoredKey | undefined): boolean {
  if (key?.d === undefined) return false
  try {
    const privateKey = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x, d: key.d }, format: 'jwk' })
    return createPublicKey(privateKey).export({ format: 'jwk' }).x === key.x
  } catch {
    return false
  }
}

/**
 * Writes the first key, unless there is a file. If two processes start at the same time, the file of one of them stays,
 * and both read it.
 */
export async function createSigningKeys(file: string, keys: StoredKeys): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  await writeDraft(draft, async () => keys)
  try {
    await link(draft, file)
    syncFolder(dirname(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Replaces the keys by those that `change` returns. Only one process at a time can do this. Fails with `folder_unusable`
 * if another process is doing it.
 */
export async function replaceSigningKeys(
  file: string,
  change: (keys: StoredKeys | null) => StoredKeys,
): Promise<StoredKeys> {
  const draft = `${file}.new`
  let changed: StoredKeys = []
  await writeDraft(draft, async () => {
    changed = change(await readSigningKeys(file))
    return changed
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new OperationError(
      'folder_unusable',
      `${draft} is left from a rotation that was interrupted, or another rotation is running. If none is running, delete it`,
    )
  })
  await rename(draft, file)
  syncFolder(dirname(file))
  return changed
}

/** Creates the draft and then asks for the keys. Fails with `EEXIST` if there is a draft. */
async function writeDraft(draft: string, keysOf: () => Promise<StoredKeys>): Promise<void> {
  await mkdir(dirname(draft), { recursive: true, mode: 0o700 })
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify({ format: 1, keys: await keysOf() })}\n`)
    await handle.sync()
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
