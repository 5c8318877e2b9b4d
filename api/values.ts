/** Schemas of the values that fields of all chains have. */
import { z } from 'zod'

export const count = z.int().min(0)
/** From 0 to 1. */
export const share = z.number().min(0).max(1)
export const epochMs = z.int().min(0)
