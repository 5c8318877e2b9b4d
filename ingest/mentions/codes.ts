/**
 * Looks up whether an address has a contract. Only addresses are looked up that ingest has not recorded and
 * for which the post gives no network. A post waits for its lookups, so each lookup has a time limit. The
 * number of lookups is limited, so that posts with many addresses do not overload the node. Beyond these
 * limits the answer is unknown.
 */
import { type DurationMs, type EpochMs, minuteMs } from '../../schemas/units.ts'
import { withLimit } from '../with-limit.ts'

/** Asks the node whether an address has a contract. Fails if the node does not answer. */
export type CodeReader = (address: string, signal: AbortSignal) => Promise<boolean>

export type Codes = Readonly<{
  /**
   * Starts lookups of the addresses that have no answer yet. Returns true if all answers are there, and false
   * while a lookup is running.
   */
  areAsked(addresses: readonly string[]): boolean
  /** Whether the address has a contract. Null if no lookup has answered. */
  of(address: string): boolean | null
}>

type CodesOptions = Readonly<{
  read: CodeReader
  nowMs: () => EpochMs
  signal: AbortSignal
  limitMs?: DurationMs
  perMinMax?: number
  openMax?: number
}>

/** The state of one lookup. `hasCode` is undefined while the answer is pending. */
type CodeLookup = Readonly<{ hasCode: boolean | null | undefined; atMs: EpochMs }>

const limitMsDefault = 2_000
const perMinMaxDefault = 120
const openMaxDefault = 20
/**
 * The time for which the answers "no contract" and "unknown" are valid. It is limited, because a contract may
 * still be created. The answer "has a contract" stays valid.
 */
const withoutCodeMs = minuteMs
const rememberedMax = 10_000

export function createCodes({ read, nowMs, signal, ...limits }: CodesOptions): Codes {
  const { limitMs = limitMsDefault, perMinMax = perMinMaxDefault, openMax = openMaxDefault } = limits
  const lookups = new Map<string, CodeLookup>()
  let [openCount, minute, countInMinute] = [0, 0, 0]

  const known = (address: string): CodeLookup | undefined => {
    const found = lookups.get(address)
    const isOver = found?.hasCode !== true && found?.hasCode !== undefined && nowMs() - found.atMs > withoutCodeMs
    return isOver ? undefined : found
  }
  const remember = (address: string, hasCode: CodeLookup['hasCode']) => {
    lookups.delete(address)
    lookups.set(address, { hasCode, atMs: nowMs() })
    const [oldest] = lookups.keys()
    if (lookups.size > rememberedMax && oldest !== undefined) lookups.delete(oldest)
  }
  const mayAsk = (): boolean => {
    const now = Math.floor(nowMs() / minuteMs)
    if (now !== minute) [minute, countInMinute] = [now, 0]
    return openCount < openMax && countInMinute < perMinMax
  }
  const ask = async (address: string) => {
    openCount++
    countInMinute++
    remember(address, undefined)
    const onLimit = () => new RangeError('the node did not answer in time')
    const hasCode = await withLimit({ limitMs, signal, onLimit }, (limited) => read(address, limited)).catch(() => null)
    openCount--
    remember(address, hasCode)
  }

  return {
    areAsked(addresses) {
      for (const address of addresses) {
        if (known(address) !== undefined) continue
        if (mayAsk()) void ask(address)
        else remember(address, null)
      }
      return addresses.every((address) => known(address)?.hasCode !== undefined)
    },
    of: (address) => known(address)?.hasCode ?? null,
  }
}
