/** Value schemas that the fields of all chains share. */
import { z } from 'zod'

export const count = z.int().min(0)
/** From 0 to 1. */
export const share = z.number().min(0).max(1)
export const epochMs = z.int().min(0)
