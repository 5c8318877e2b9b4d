/**
 * The formats of chain B's identifiers. Addresses are base58 and case-sensitive. Ids of rows are 16 hex
 * digits.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { EpochMs } from '../../../schemas/units.ts'

/** The address of a mint or a wallet. */
export const addressSchema = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)

/** The id of a burst or a buy. */
export const rowIdSchema = z.string().regex(/^[0-9a-f]{16}$/)

/** Returns the id of a burst: the first 16 hex digits of sha1 over `b:mint:at`. */
export const burstId = (mint: string, atMs: EpochMs): string =>
  createHash('sha1').update(`b:${mint}:${atMs}`).digest('hex').slice(0, 16)

/** Returns the id of a graduation: the first 16 hex digits of sha1 over `b:mint:graduation:at`. */
export const graduationId = (mint: string, atMs: EpochMs): string =>
  createHash('sha1').update(`b:${mint}:graduation:${atMs}`).digest('hex').slice(0, 16)

/** Returns the id of a buy: the first 16 hex digits of sha1 over `b:mint:signature:logIndex`. */
export const buyId = (mint: string, signature: string, logIndex: number): string =>
  createHash('sha1').update(`b:${mint}:${signature}:${logIndex}`).digest('hex').slice(0, 16)
