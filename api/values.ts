/** The schemas of values that answers about all chains share. */
import { z } from 'zod'

export const count = z.int().min(0)
export const share = z.number().min(0).max(1)
export const epochMs = z.int().min(0)
