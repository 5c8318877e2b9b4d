import { hostOf } from '../infra/http-url.ts'

/** Removes from a text every URL, and every part of the given URLs that could be a key. */
export function createRedactor(urls: readonly string[]): (text: string) => string {
  const secrets = urls.flatMap(secretsOf)
  return (text) => {
    const withoutUrls = text.replace(/\b(?:https?|wss?):\/\/[^\s"'<>]+/gi, (url) => hostOf(url))
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), withoutUrls)
  }
}

/** Shorter parts, such as `v2` and `rpc`, are not keys. */
const secretLengthMin = 6

function secretsOf(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { pathname, searchParams, username, password } = new URL(url)
  const written = [...pathname.split('/'), username, password]
  return [...written, ...written.map(decodeURIComponent), ...searchParams.values()].filter(
    (part) => part.length >= secretLengthMin,
  )
}
