/** Types of environment variables. Each type turns the text of a variable into a value. */
import { z } from 'zod'
import { hexOfBase58 } from '../base58.ts'

const undecodable = 'has a % that begins no escape code: write the character % as %25'
export const url = (protocols: RegExp) => z.url({ protocol: protocols, abort: true }).refine(isDecodable, undecodable)
/** The URL of a node, over HTTP or WebSocket. */
export const nodeUrl = z
  .string()
  .refine((text) => /^(?:https?|wss?):\/\//i.test(text) && URL.canParse(text), {
    error: 'must be URLs that begin with http://, https://, ws:// or wss://, comma-separated',
    abort: true,
  })
  .refine(isDecodable, undecodable)
export const whole = (least: number, most: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(least).max(most))
/** Accepts only `true` and `false`, so that a typing mistake cannot switch off a protection. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
export const commaSeparated = z.string().transform((text) => text.split(',').map((part) => part.trim()))
export const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) => commaSeparated.pipe(z.array(item).min(1))
export const solanaAddress = z.string().refine((text) => hexOfBase58(text, 32) !== null, 'must be an address in base58')

/**
 * Whether the user, password and path of the URL can be decoded. Clients decode these parts later. A bare % would then
 * cause an error that names no variable.
 */
function isDecodable(text: string): boolean {
  try {
    const { username, password, pathname } = new URL(text)
    return [username, password, pathname].map(decodeURIComponent).length > 0
  } catch {
    return false
  }
}
