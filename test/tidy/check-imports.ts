/** Checks an import against the table of rooms. A room is a set of files with a list of allowed imports. */
import type { Import } from './read-imports.ts'

/**
 * A path pattern. `*` matches any part of a name, and `**` matches any depth of folders. `<…>` matches one
 * folder, which must be the same for the file and its import. A pattern after `!` excludes paths that earlier
 * patterns allow.
 */
type Pattern = string

/**
 * A set of files with the same allowed imports: the files of the room, and what `mayImport` lists. Packages
 * are written as `npm:` with their subpath, and Node's own modules as `node:`. An import that is not listed
 * fails.
 */
export type Room = Readonly<{ files: readonly Pattern[]; mayImport: readonly Pattern[]; says: string }>

/**
 * Returns the reason why an import is refused, in one line. Null: the import is allowed. A file belongs to
 * the first room with a pattern that matches.
 */
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

/** Returns the folder that `<…>` matches, or an empty string. Null: the pattern does not match. */
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
