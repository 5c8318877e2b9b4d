/** Types of environment variables. Each type turns the text of a variable into a value. */
import { z } from 'zod'
import { hexOfBase58 } from '../base58.ts'

const undecodable = 'contains a % that is not part of an escape code. Write the character % as %25'
export const url = (protocols: RegExp) =>
  z.url({ protocol: protocols, abort: true, error: textOfUrl(protocols) }).refine(isDecodable, undecodable)
const textOfUrl = ({ source }: RegExp): string =>
  `must be a URL that begins with ${source.includes('ws') ? 'ws:// or wss://' : 'http:// or https://'}`
/** The URL of a node, over HTTP or WebSocket. */
export const nodeUrl = z
  .string()
  .refine((text) => /^(?:https?|wss?):\/\//i.test(text) && URL.canParse(text), {
    error: 'must be URLs that begin with http://, https://, ws:// or wss://, separated by commas',
    abort: true,
  })
  .refine(isDecodable, undecodable)
export const whole = (least: number, most: number) => {
  const says = `must be a whole number from ${least} to ${most}`
  return z.string().regex(/^\d+$/, says).transform(Number).pipe(z.number().min(least, says).max(most, says))
}
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`)
export const secret = z.string().min(16, 'must have at least 16 characters')
/** Accepts only `true` and `false`, so that a typing mistake cannot switch off a protection. */
export const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')
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
