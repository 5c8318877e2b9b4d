/** The URL of a server. An IPv6 address is put in brackets. */
export const httpUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** The part of a server's URL that may be shown: the rest may hold a key. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'a node')
