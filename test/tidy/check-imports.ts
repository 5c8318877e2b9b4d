/** Checks an import against the table of rooms. */
import type { Import } from './read-imports.ts'

/**
 * A path pattern. `*` matches any part of a name, and `**` any depth of folders.
 * `<…>` matches one folder, which must be the same in the file and in what it imports.
 * A pattern after `!` excludes what the patterns before it allow.
 */
type Pattern = string

/**
 * A set of files that may import the same things: its own files, and what `mayImport` lists.
 * Packages are written as `npm:` with their subpath, and Node's own modules as `node:`. An import that is not listed fails.
 */
export type Room = Readonly<{ files: readonly Pattern[]; mayImport: readonly Pattern[]; says: string }>

/** Why the import is refused, in one line. Null: it is allowed. A file belongs to the first room with a pattern that fits. */
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

/** The folder that `<…>` matches, or an empty string. Null: the pattern does not fit. */
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
