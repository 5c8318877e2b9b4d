/** Whether an import is allowed by the table of rooms. */
import type { Import } from './read-imports.ts'

/**
 * Patterns: `*` is any part of a name, `**` any depth of folders, `<…>` one folder, the same in the file and in what it imports.
 * A pattern after `!` takes back what those before it allow.
 */
type Pattern = string

/**
 * A room is a set of files that may import the same things: its own files, and what `mayImport` lists. Packages are written
 * `npm:`, with their subpath; Node's own modules `node:`. Whatever is not listed fails.
 */
export type Room = Readonly<{ files: readonly Pattern[]; mayImport: readonly Pattern[]; says: string }>

/** What the import breaks, in one line; null where it is allowed. The first room whose pattern fits a file is the file's. */
export function refusalOf({ from, line, target }: Import, rooms: readonly Room[]): string | null {
  for (const room of rooms)
    for (const files of room.files) {
      const folder = matchOf(files, from)
      if (folder === null) continue
      const isAllowed = [...room.files, ...room.mayImport].reduce((allowed, pattern) => {
        const isDenied = pattern.startsWith('!')
        return matchOf(isDenied ? pattern.slice(1) : pattern, target, folder) === null ? allowed : !isDenied
      }, false)
      return isAllowed ? null : `${from}:${line} imports ${target}: ${room.says}`
    }
  return `${from}:${line} is in no room: add its folder to test/tidy/rooms.ts`
}

/** The folder that `<…>` stands for in the path, or the empty string; null where the pattern does not fit. */
function matchOf(pattern: Pattern, path: string, folder = ''): string | null {
  const match = expressionOf(folder === '' ? pattern : pattern.replace(/<\w+>/, folder)).exec(path)
  return match ? (match[1] ?? '') : null
}

const expressions = new Map<Pattern, RegExp>()

function expressionOf(pattern: Pattern): RegExp {
  const known = expressions.get(pattern)
  if (known) return known
  const source = pattern
    .replace(/[.+?()[\]{}^$|\\]/g, '\\$&')
    .replace(/<\w+>/, '([^/]+)')
    .replace(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'))
  const expression = new RegExp(`^${source}$`)
  expressions.set(pattern, expression)
  return expression
}
