/** The URL of a server, with brackets around an IPv6 address. */
export const httpUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** The part of a server's URL that may be shown. The rest of the URL may contain a key. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'a node')
