/** The identifiers of calls, callers, chats and tokens in answers. */
import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'

/** A token address: lower-case hex (chain A) or base58 (chain B). */
export const mintSchema = z.string().regex(/^(0x[0-9a-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/)
export const callIdSchema = z.string().regex(/^[0-9a-f]{16}$/)
/** The keyed hash that names a caller or a chat. */
export const hashedIdSchema = z.string().regex(/^[0-9a-f]{40}$/)
/** The public name of a chat. */
export const chatNameSchema = z.string().regex(/^@/)

/** The names of a chain in answers. `idLetter`: its letter in the ids of calls. */
export type NamedChain = Readonly<{ wireName: string; idLetter: string }>

/** The id of a call: the first 16 hex digits of sha1 over `a:token:call:at`, or on chain B over `b:mint:call:at`. */
export const callIdOf = ({ idLetter }: Pick<NamedChain, 'idLetter'>, token: string, calledAtMs: number): string =>
  createHash('sha1').update(`${idLetter}:${token}:call:${calledAtMs}`).digest('hex').slice(0, 16)

/**
 * Hashes with a secret key (HMAC-SHA1). Without the key, anyone could hash the ids of known persons and find
 * these hashes in answers.
 */
const hashed = (text: string, secret: string): string => createHmac('sha1', secret).update(text).digest('hex')

/** The id of a caller, who is one poster in one chat. */
export const callerIdOf = (chat: string, poster: string, secret: string): string =>
  hashed(`caller:${chat}:${poster}`, secret)

export const chatIdOf = (chat: string, secret: string): string => hashed(`chat:${chat}`, secret)

export const chatNameOf = (name: string): string => `@${name}`
