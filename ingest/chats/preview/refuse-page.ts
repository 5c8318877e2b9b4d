/**
 * Refuses pages whose parsing could stop the program. For some pages of a few megabytes, the HTML parser
 * takes minutes and gigabytes of memory. Deep nesting may overflow the stack.
 */
const tagsMax = 20_000
const depthMax = 200
/**
 * The maximum number of characters in one tag with its attributes. A link or an emoji image has a few
 * hundred.
 */
const tagCharactersMax = 16_384

/** HTML tags without content, which are never closed. */
const voidTags: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/**
 * Returns the reason why the page must not be parsed, or null if it may be parsed. A page of twenty posts
 * with a hundred links or other marks each is far below every limit.
 */
export function whyRefused(html: string): string | null {
  let depth = 0
  let tags = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    tags += 1
    if (tags > tagsMax) return `the page has more than ${tagsMax} tags`
    const closing = html.indexOf('>', at)
    const end = closing < 0 ? html.length : closing
    if (end - at > tagCharactersMax) return `a tag of the page is longer than ${tagCharactersMax} characters`
    const [, slash, name = ''] = /^<(\/?)([a-z][\w-]*)/i.exec(html.slice(at, at + 20)) ?? []
    if (name === '' || html[end - 1] === '/' || voidTags.has(name.toLowerCase())) continue
    depth = slash ? Math.max(0, depth - 1) : depth + 1
    if (depth > depthMax) return `the elements are nested more than ${depthMax} levels deep`
  }
  return null
}
