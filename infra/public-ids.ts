/**
 * The ids that stand for chats, callers and rules in answers and public files. Each is a keyed hash. Without the key,
 * anyone could hash the ids of known persons and find these hashes.
 */
import { createHmac } from 'node:crypto'

const hashed = (text: string, secret: string): string => createHmac('sha1', secret).update(text).digest('hex')

/** The id of a caller, who is one poster in one chat. */
export const callerIdOf = (chat: string, poster: string, secret: string): string =>
  hashed(`caller:${chat}:${poster}`, secret)

export const chatIdOf = (chat: string, secret: string): string => hashed(`chat:${chat}`, secret)

export const chatNameOf = (name: string): string => `@${name}`

/** Returns the scope of the ids of a stage's rules. The ids of chain A are older than scopes, so it has none. */
export const ruleScopeOf = (stageName: string): string => (stageName === 'chain-a' ? '' : `${stageName}:`)

/**
 * Returns a stable, opaque id of an exit rule. The rule `hold`, with which other rules are compared, keeps
 * its name. `scope` separates rules of different chains that have the same name and different definitions.
 */
export function ruleIdOf(rule: string, secret: string, scope = ''): string {
  if (rule === 'hold') return rule
  const known = ruleIdsOf(secret)
  const scoped = scope + rule
  const id = known.get(scoped) ?? `r${createHmac('sha256', secret).update(scoped).digest('hex').slice(0, 12)}`
  if (known.size < knownRulesMax) known.set(scoped, id)
  return id
}

/** A service has about twenty rules. More than this come only from a log that somebody changed. */
const knownRulesMax = 1024

/** The ids of rules that were computed with the last secret. Each outcome in an answer names all rules. */
let computed: Readonly<{ secret: string; ids: Map<string, string> }> = { secret: '', ids: new Map() }

function ruleIdsOf(secret: string): Map<string, string> {
  if (computed.secret !== secret) computed = { secret, ids: new Map() }
  return computed.ids
}
