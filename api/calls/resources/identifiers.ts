/** The identifiers of calls, callers, chats and tokens in answers. `infra/public-ids.ts` has the keyed hashes. */
import { createHash } from 'node:crypto'
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
