import { hostOf } from '../infra/http-url.ts'

/**
 * Creates a function that removes secrets from a text. The function replaces each URL in the text by its
 * host, and replaces each part of `urls` that could be a key by `…`.
 */
export function createRedactor(urls: readonly string[]): (text: string) => string {
  const secrets = urls.flatMap(secretsOf)
  return (text) => {
    const withoutUrls = text.replace(/\b(?:https?|wss?):\/\/[^\s"'<>]+/gi, (url) => hostOf(url))
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), withoutUrls)
  }
}

/**
 * The minimum length of a part of a URL that counts as a key, in characters. Shorter parts, such as `v2` and
 * `rpc`, are no keys.
 */
const secretLengthMin = 6

function secretsOf(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { pathname, searchParams, username, password } = new URL(url)
  const written = [...pathname.split('/'), username, password]
  return [...written, ...written.map(decodeURIComponent), ...searchParams.values()].filter(
    (part) => part.length >= secretLengthMin,
  )
}
