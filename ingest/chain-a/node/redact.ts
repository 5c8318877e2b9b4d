/** Takes out of a text every address of a node and whatever else of the given URLs could be a key. */
export function createRedactor(urls: readonly string[]): (text: string) => string {
  const secrets = urls.flatMap(secretsOf)
  return (text) => {
    const withoutUrls = text.replace(/\b(?:https?|wss?):\/\/[^\s"'<>]+/gi, (url) => hostOf(url))
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), withoutUrls)
  }
}

/** The part of a node's URL that may be shown. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'a node'
}

/** Shorter parts (`v2`, `rpc`) are words, not keys. */
const secretLengthMin = 6

function secretsOf(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { pathname, searchParams, username, password } = new URL(url)
  const written = [...pathname.split('/'), username, password]
  return [...written, ...written.map(decodeURIComponent), ...searchParams.values()].filter(
    (part) => part.length >= secretLengthMin,
  )
}
