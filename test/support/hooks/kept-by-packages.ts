/** What packages open at their first use and keep for the rest of the process. Tests cannot close it. */

type Kept = Readonly<{ name: RegExp; isCount: (count: number) => boolean }>

const once = (count: number): boolean => count === 1

const kept: readonly Kept[] = [
  // The embedded ClickHouse measures its threads, which wait for the next query.
  { name: /^descriptor of \/proc\/\d+\/task\/\d+\/(schedstat|stat|io)$/, isCount: () => true },
  // It writes signals and crashes to pipes that it reads itself. JavaScript opens no pipe with both ends.
  { name: /^descriptor of pipe:/, isCount: (count) => count === 2 },
  // It reads the names of functions from the programs when it first makes a stack trace.
  { name: /^descriptor of \/\S+(\/node|\.node|\.debug|\.so[.\d]*)$/, isCount: once },
  // It closes its sessions when the process ends.
  { name: /^listener of exit: .*\bopenSessions\b/, isCount: once },
  // pino writes the rest of its log when the process ends.
  { name: /^listener of exit: .*\bcallRefs\b/, isCount: once },
]

export const isKept = (name: string, count: number): boolean =>
  kept.some((its) => its.name.test(name) && its.isCount(count))
