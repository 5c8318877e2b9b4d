/**
 * The ids that stand for chats, callers and rules in answers and public files. Each is a keyed hash. Without the key,
 * anyone could hash the ids of known persons and find these hashes.
 */
import { createHmac } from 'node:crypto'

/**
 * Keeps at least the `idsMax` ids that were asked for last, and at most twice as many, of the last secret. A hash takes
 * ten times as long as a look into the map, and each answer has the same few ids many times.
 */
function keepIds(idsMax: number, hash: (text: string, secret: string) => string) {
  let lastSecret = ''
  let recent = new Map<string, string>()
  let older = new Map<string, string>()
  return (text: string, secret: string): string => {
    if (secret !== lastSecret) [lastSecret, recent, older] = [secret, new Map(), new Map()]
    const known = recent.get(text)
    if (known !== undefined) return known
    const id = older.get(text) ?? hash(text, secret)
    recent.set(text, id)
    if (recent.size >= idsMax) [older, recent] = [recent, new Map()]
    return id
  }
}

/** Answers list some thousand calls, each with its chats and callers. 20,000 ids take some 3 MB. */
const hashed = keepIds(20_000, (text, secret) => createHmac('sha1', secret).update(text).digest('hex'))

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
  return hashedRule(scope + rule, secret)
}

/** A service has about twenty rules. More than this come only from a log that somebody changed. */
const hashedRule = keepIds(
  1024,
  (rule, secret) => `r${createHmac('sha256', secret).update(rule).digest('hex').slice(0, 12)}`,
)
