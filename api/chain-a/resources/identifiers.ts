/** The form of chain A's identifiers: lower-case hexadecimal. */
import { z } from 'zod'

export const addressSchema = z.string().regex(/^0x[0-9a-f]{40}$/)
export const poolIdSchema = z.string().regex(/^0x([0-9a-f]{40}|[0-9a-f]{64})$/)
