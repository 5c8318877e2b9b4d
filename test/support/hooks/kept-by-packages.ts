/**
 * Lists what packages open at their first use and keep open until the process ends. Tests cannot close these
 * things.
 */

type Kept = Readonly<{ name: RegExp; isCount: (count: number) => boolean }>

const once = (count: number): boolean => count === 1

const kept: readonly Kept[] = [
  // The embedded ClickHouse measures its threads. They stay open to wait for the next query.
  { name: /^descriptor of \/proc\/\d+\/task\/\d+\/(schedstat|stat|io)$/, isCount: () => true },
  // The embedded ClickHouse writes signals and crashes to pipes that it reads itself. JavaScript never opens
  // a pipe with both ends.
  { name: /^descriptor of pipe:/, isCount: (count) => count === 2 },
  // When the embedded ClickHouse makes its first stack trace, it reads the names of functions from the
  // program files.
  { name: /^descriptor of \/\S+(\/node|\.node|\.debug|\.so[.\d]*)$/, isCount: once },
  // The embedded ClickHouse closes its sessions when the process ends.
  { name: /^listener of exit: .*\bopenSessions\b/, isCount: once },
  // tsx writes what it has compiled to its cache, and does not wait until the file is written.
  { name: /^descriptor of \/\S+\/tsx-\d+\/\d+-[0-9a-f]{40}$/, isCount: () => true },
  // pino writes the rest of its log when the process ends.
  { name: /^listener of exit: .*\bcallRefs\b/, isCount: once },
]

export const isKept = (name: string, count: number): boolean =>
  kept.some((its) => its.name.test(name) && its.isCount(count))
